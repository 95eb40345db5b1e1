'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC } from '@/app/_trpc/context'
import { sentenceOf } from '@/app/_trpc/errors'
import { Button } from '@/app/_ui/button'
import { Dialog } from '@/app/_ui/dialog'
import { Field, Input, Select } from '@/app/_ui/field'
import { formatCount } from '@/app/_ui/format'
import type { WorkflowDetail } from '@/server/registry/views'
import { BOUNDS } from '@/server/threads/limits'
import { draftOfLimits, LIMIT_ROWS, readLimits } from '../_model/limits-draft'

/** Sets the bounds of a workflow. What is left empty has its default. */
export default function LimitsDialog({ workflow, onClose }: { workflow: WorkflowDetail; onClose: () => void }) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const [draft, setDraft] = useState(() => draftOfLimits(workflow.limits))
  const [note, setNote] = useState('')
  const [problems, setProblems] = useState(new Map<string, string>())
  const save = useMutation(
    trpc.workflow.limits.mutationOptions({
      onSuccess: async () => {
        await queryClient.invalidateQueries({ queryKey: trpc.workflow.pathKey() })
        onClose()
      },
    }),
  )
  const submit = () => {
    const read = readLimits(draft)
    setProblems(read.problems)
    const first = read.problems.keys().next()
    if (!first.done) {
      document.getElementById(`limit-${first.value}`)?.focus()
      return
    }
    save.mutate({
      name: workflow.name,
      limits: read.limits,
      expectedVersion: workflow.version,
      ...(note.trim() === '' ? {} : { note: note.trim() }),
    })
  }
  const numeric = (name: string, label: string, hint: string, value: string, onChange: (text: string) => void) => (
    <Field key={name} id={`limit-${name}`} label={label} hint={hint} error={problems.get(name)}>
      <Input
        id={`limit-${name}`}
        aria-describedby={`limit-${name}-note`}
        aria-invalid={problems.has(name)}
        inputMode="numeric"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  )
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Limits of ${workflow.name}`}
      about={<p>They hold for every version. How threads queue changes at once; a running thread keeps its own.</p>}
    >
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <div className="grid gap-3 sm:grid-cols-2">
          {LIMIT_ROWS.map(({ name, label, unit }) =>
            numeric(
              name,
              unit === 'count' ? label : `${label}, ${unit}`,
              `Default ${formatCount(BOUNDS[name].default)}, at most ${formatCount(BOUNDS[name].ceiling)}`,
              draft.bounds[name] ?? '',
              (text) => setDraft({ ...draft, bounds: { ...draft.bounds, [name]: text } }),
            ),
          )}
          {numeric('priority', 'Priority', 'Default 0; higher goes first', draft.priority, (priority) =>
            setDraft({ ...draft, priority }),
          )}
          <Field id="limit-overflow" label="Above the threads at once">
            <Select
              id="limit-overflow"
              value={draft.overflow}
              onChange={(event) =>
                setDraft({
                  ...draft,
                  overflow: event.target.value === 'drop' ? 'drop' : event.target.value === 'queue' ? 'queue' : '',
                })
              }
            >
              <option value="">Default: new threads queue</option>
              <option value="queue">New threads queue</option>
              <option value="drop">New threads are dropped</option>
            </Select>
          </Field>
        </div>
        <Field id="limit-labels" label="Labels that a runner needs" hint="Lower-case words, with commas between">
          <Input
            id="limit-labels"
            aria-describedby="limit-labels-note"
            value={draft.labels}
            onChange={(event) => setDraft({ ...draft, labels: event.target.value })}
          />
        </Field>
        <Field id="limit-note" label="Note" hint="Why; it stays in the history.">
          <Input
            id="limit-note"
            aria-describedby="limit-note-note"
            maxLength={2_000}
            value={note}
            onChange={(event) => setNote(event.target.value)}
          />
        </Field>
        {save.error !== null && (
          <p role="alert" className="text-sm whitespace-pre-line text-danger">
            {sentenceOf(save.error)}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="solid" disabled={save.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
