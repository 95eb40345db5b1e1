'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC } from '@/app/_trpc/context'
import { sentenceOf } from '@/app/_trpc/errors'
import { Button } from '@/app/_ui/button'
import { Dialog } from '@/app/_ui/dialog'
import { Field, Textarea } from '@/app/_ui/field'
import type { WorkflowDetail } from '@/server/registry/views'
import { permissionRows, withGrant } from '../_model/permission-rows'

/** Grants a command, changes its folders, or takes it away. */
export function GrantDialog(props: { workflow: WorkflowDetail; command: string; onClose: () => void }) {
  const { workflow, command, onClose } = props
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const granted = permissionRows(workflow).find((row) => row.command === command)?.folders ?? null
  const [text, setText] = useState(granted?.join('\n') ?? '')
  const grant = useMutation(
    trpc.workflow.grant.mutationOptions({
      onSuccess: async () => {
        await queryClient.invalidateQueries({ queryKey: trpc.workflow.pathKey() })
        onClose()
      },
    }),
  )
  const send = (folders: string[] | null) =>
    grant.mutate({
      name: workflow.name,
      grants: withGrant(workflow.grants, command, folders),
      expectedVersion: workflow.version,
    })
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Let ${workflow.name} run ${command}?`}
      about={<p>The runner starts it without a shell, with the runner’s own rights on its machine.</p>}
    >
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          send(
            text
              .split('\n')
              .map((line) => line.trim())
              .filter((line) => line !== ''),
          )
        }}
      >
        <Field id="grant-folders" label="Folders" hint="Absolute paths, one a line. Empty lets it run in any folder.">
          <Textarea
            id="grant-folders"
            aria-describedby="grant-folders-note"
            className="font-mono text-sm"
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </Field>
        {grant.error !== null && (
          <p role="alert" className="text-sm whitespace-pre-line text-danger">
            {sentenceOf(grant.error)}
          </p>
        )}
        <div className="flex flex-wrap justify-end gap-2">
          {granted !== null && (
            <Button look="danger" className="mr-auto" disabled={grant.isPending} onClick={() => send(null)}>
              Take away
            </Button>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="solid" disabled={grant.isPending}>
            {granted === null ? 'Grant' : 'Save'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
