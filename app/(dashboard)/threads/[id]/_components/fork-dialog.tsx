'use client'

import { useMutation, useQuery } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { useRef, useState } from 'react'
import { controlId } from '@/app/_form/field-control'
import { InputEditor, useInputDraft } from '@/app/_form/input-editor'
import { useTRPC } from '@/app/_trpc/context'
import { sentenceOf } from '@/app/_trpc/errors'
import { Button } from '@/app/_ui/button'
import { Dialog } from '@/app/_ui/dialog'
import { Field, Input, Select, Textarea } from '@/app/_ui/field'
import type { Descriptor } from '@/server/registry/views'
import type { ThreadDetail } from '@/server/threads/views'
import { type ForkPoint, forkRequest } from '../_model/fork-request'
import { InjectEditor, type InjectHandle, META_FORM } from './inject-editor'

const INPUT_FORM = 'fork-input'

/** Forks a thread: which steps to share, and what is to be other than in the source. */
export default function ForkDialog(props: {
  thread: ThreadDetail
  point: ForkPoint
  descriptor: Descriptor
  onClose: () => void
}) {
  const { thread, point, onClose } = props
  const trpc = useTRPC()
  const router = useRouter()
  const [keep, setKeep] = useState(String(point.keep))
  const [prompt, setPrompt] = useState(thread.prompt)
  const [version, setVersion] = useState('')
  const [maxRounds, setMaxRounds] = useState('')
  const [reason, setReason] = useState('')
  const [wantsStep, setWantsStep] = useState(point.inject !== null)
  const [problems, setProblems] = useState(new Map<string, string>())
  const inject = useRef<InjectHandle>(null)
  const workflow = useQuery(trpc.workflow.get.queryOptions({ name: thread.workflow }))
  const other = useQuery(
    trpc.workflow.descriptor.queryOptions({ hash: version || thread.bundle }, { enabled: version !== '' }),
  )
  const descriptor = version === '' ? props.descriptor : (other.data?.descriptor ?? props.descriptor)
  const input = useInputDraft(props.descriptor.input, thread.input ?? undefined)
  const fork = useMutation(
    trpc.thread.fork.mutationOptions({
      onSuccess: ({ id }) => {
        onClose()
        router.push(`/threads/${id}`)
      },
    }),
  )

  const submit = () => {
    const read = input.read()
    setProblems(read.problems)
    const injected = wantsStep ? inject.current?.read() : undefined
    const wrong =
      firstOf(INPUT_FORM, read.problems) ??
      (injected && 'problems' in injected ? firstOf(META_FORM, injected.problems) : null)
    if (wrong !== null) {
      document.getElementById(wrong)?.focus()
      return
    }
    const step = injected && 'step' in injected ? injected.step : null
    fork.mutate(
      forkRequest(thread, { keep: Number(keep), prompt, input: read.value, version, maxRounds, step, reason }),
    )
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Fork this thread"
      about={
        <p>A new thread that shares the first steps of this one and goes on by itself. This one stays as it is.</p>
      }
    >
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (!fork.isPending) submit()
        }}
      >
        <Field id="fork-keep" label="Steps to share" hint={`Of ${thread.steps}; 0 begins anew.`}>
          <Input
            id="fork-keep"
            aria-describedby="fork-keep-note"
            type="number"
            min={0}
            max={thread.steps}
            required
            value={keep}
            onChange={(event) => setKeep(event.target.value)}
          />
        </Field>
        <label className="flex items-center gap-2 text-sm font-medium">
          <input
            type="checkbox"
            className="size-4 accent-accent"
            checked={wantsStep}
            onChange={(event) => setWantsStep(event.target.checked)}
          />
          Insert a result as the next step
        </label>
        {wantsStep && <InjectEditor descriptor={descriptor} given={point.inject} ref={inject} />}
        <Field id="fork-prompt" label="Prompt">
          <Textarea
            id="fork-prompt"
            className="min-h-16"
            value={prompt}
            onChange={(event) => setPrompt(event.target.value)}
          />
        </Field>
        {(props.descriptor.input !== undefined || thread.input !== null) && (
          <InputEditor form={INPUT_FORM} input={input} problems={problems} />
        )}
        <div className="grid gap-3 sm:grid-cols-2">
          <Field id="fork-version" label="Version">
            <Select id="fork-version" value={version} onChange={(event) => setVersion(event.target.value)}>
              <option value="">The same ({thread.bundle.slice(0, 7)})</option>
              {(workflow.data?.versions ?? [])
                .filter((each) => each.hash !== thread.bundle)
                .map((each) => (
                  <option key={each.hash} value={each.hash}>
                    {each.hash.slice(0, 7)}
                    {each.isCurrent ? ' · current' : ''}
                    {each.note === null ? '' : ` · ${each.note}`}
                  </option>
                ))}
            </Select>
          </Field>
          <Field id="fork-rounds" label="Most rounds" hint="Empty for the source’s own">
            <Input
              id="fork-rounds"
              aria-describedby="fork-rounds-note"
              inputMode="numeric"
              pattern="0*[1-9][0-9]*"
              title="A whole number, at least 1"
              value={maxRounds}
              onChange={(event) => setMaxRounds(event.target.value)}
            />
          </Field>
        </div>
        <Field id="fork-reason" label="Reason" hint="Why; it stays in the history.">
          <Input
            id="fork-reason"
            aria-describedby="fork-reason-note"
            maxLength={1_000}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        </Field>
        {fork.error !== null && (
          <p role="alert" className="text-sm whitespace-pre-line text-danger">
            {sentenceOf(fork.error)}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="solid" disabled={fork.isPending}>
            {fork.isPending ? 'Forking…' : 'Fork'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** Id of the first control that has a problem. */
function firstOf(form: string, problems: Map<string, string>): string | null {
  const first = problems.keys().next()
  return first.done ? null : controlId(form, first.value)
}
