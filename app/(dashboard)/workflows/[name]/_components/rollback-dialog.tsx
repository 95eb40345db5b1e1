'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC } from '@/app/_trpc/context'
import { sentenceOf } from '@/app/_trpc/errors'
import { Button } from '@/app/_ui/button'
import { Dialog } from '@/app/_ui/dialog'
import { Field, Textarea } from '@/app/_ui/field'
import type { WorkflowDetail } from '@/server/registry/views'

/** Asks before another version becomes the current one, and for a word on why. */
export function RollbackDialog(props: { workflow: WorkflowDetail; to: string; onClose: () => void }) {
  const { workflow, to, onClose } = props
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const [note, setNote] = useState('')
  const rollback = useMutation(
    trpc.workflow.rollback.mutationOptions({
      onSuccess: async () => {
        await queryClient.invalidateQueries({ queryKey: trpc.workflow.pathKey() })
        onClose()
      },
    }),
  )
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Roll ${workflow.name} back?`}
      about={
        <p>
          New threads will run <code className="font-mono text-sm">{to.slice(0, 7)}</code> instead of{' '}
          <code className="font-mono text-sm">{workflow.current.slice(0, 7)}</code>. Threads that already began go on
          with their own version.
        </p>
      }
    >
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          rollback.mutate({
            name: workflow.name,
            hash: to,
            expectedVersion: workflow.version,
            ...(note.trim() === '' ? {} : { note: note.trim() }),
          })
        }}
      >
        <Field id="rollback-note" label="Note" hint="Why; it stays in the history.">
          <Textarea
            id="rollback-note"
            aria-describedby="rollback-note-note"
            maxLength={2_000}
            value={note}
            onChange={(event) => setNote(event.target.value)}
          />
        </Field>
        {rollback.error !== null && (
          <p role="alert" className="text-sm whitespace-pre-line text-danger">
            {sentenceOf(rollback.error)}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="danger" disabled={rollback.isPending}>
            {rollback.isPending ? 'Rolling back…' : 'Roll back'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
