'use client'

import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useRef, useState } from 'react'
import { controlId } from '@/app/_form/field-control'
import { InputEditor, useInputDraft } from '@/app/_form/input-editor'
import { useTRPC } from '@/app/_trpc/context'
import { fieldErrorsOf, sentenceOf } from '@/app/_trpc/errors'
import { Button } from '@/app/_ui/button'
import { ErrorPanel } from '@/app/_ui/error-panel'
import { Field, Input, Select, Textarea } from '@/app/_ui/field'
import { PageHeader } from '@/app/_ui/page-header'
import { Panel } from '@/app/_ui/panel'
import type { ThreadDetail } from '@/server/threads/views'
import { MissingGrants } from '../../_components/missing-grants'

/** `from` is a thread whose prompt and input are taken over. */
export function RunForm({ name, from }: { name: string; from: ThreadDetail | null }) {
  const trpc = useTRPC()
  const router = useRouter()
  const { data: workflow } = useSuspenseQuery(trpc.workflow.get.queryOptions({ name }))
  const input = useInputDraft(workflow.descriptor.input, from?.input ?? undefined)
  const [prompt, setPrompt] = useState(from?.prompt ?? '')
  const [tags, setTags] = useState(from?.tags.join(', ') ?? '')
  const [maxRounds, setMaxRounds] = useState(from?.maxRounds?.toString() ?? '')
  const [version, setVersion] = useState('')
  const [dryRun, setDryRun] = useState(from?.dryRun ?? false)
  const [problems, setProblems] = useState(new Map<string, string>())
  // The same attempt sent twice starts one thread; a changed form is another attempt.
  const attempt = useRef<{ key: string; of: string }>({ key: '', of: '' })
  const start = useMutation(
    trpc.thread.start.mutationOptions({ onSuccess: (thread) => router.push(`/threads/${thread.id}`) }),
  )
  const refused = fieldErrorsOf(start.error)

  const submit = () => {
    const read = input.read()
    setProblems(read.problems)
    const first = read.problems.keys().next()
    if (!first.done) {
      document.getElementById(controlId('input', first.value))?.focus()
      return
    }
    const names = tags.split(/[\s,]+/).filter((tag) => tag !== '')
    const request = {
      workflow: version === '' ? name : `${name}@${version}`,
      prompt,
      ...(read.value === undefined || read.value === null ? {} : { input: read.value }),
      ...(names.length === 0 ? {} : { tags: names }),
      ...(maxRounds.trim() === '' ? {} : { maxRounds: Number(maxRounds) }),
      ...(dryRun ? { dryRun } : {}),
    }
    const text = JSON.stringify(request)
    if (attempt.current.of !== text) attempt.current = { key: crypto.randomUUID(), of: text }
    start.mutate({ ...request, idempotencyKey: attempt.current.key })
  }
  const isBusy = start.isPending || start.isSuccess

  return (
    <form
      aria-label={`Run ${name}`}
      className="max-w-3xl"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy) submit()
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) event.currentTarget.requestSubmit()
      }}
    >
      <PageHeader
        trail={[
          { href: '/workflows', label: 'Workflows' },
          { href: `/workflows/${name}`, label: name },
        ]}
        title={`Run ${name}`}
        about={workflow.descriptor.description}
      />
      <div className="grid gap-4">
        <MissingGrants workflow={workflow} />
        <Panel title={<label htmlFor="prompt">Prompt</label>}>
          <Textarea
            id="prompt"
            value={prompt}
            onChange={(event) => setPrompt(event.target.value)}
            placeholder="What this thread is to do"
          />
        </Panel>
        <InputEditor input={input} problems={problems} />
        <Panel title="Options" bodyClassName="grid gap-4 p-4 sm:grid-cols-2">
          <Field
            id="tags"
            label="Tags"
            hint="Lower-case words, with commas between"
            error={errorBelow(refused, 'tags')}
          >
            <Input
              id="tags"
              aria-describedby="tags-note"
              value={tags}
              onChange={(event) => setTags(event.target.value)}
            />
          </Field>
          <Field
            id="max-rounds"
            label="Most rounds"
            hint="Steps after which the thread ends; empty for the workflow’s own"
            error={errorBelow(refused, 'maxRounds')}
          >
            <Input
              id="max-rounds"
              aria-describedby="max-rounds-note"
              inputMode="numeric"
              pattern="0*[1-9][0-9]*"
              title="A whole number, at least 1"
              value={maxRounds}
              onChange={(event) => setMaxRounds(event.target.value)}
            />
          </Field>
          <Field id="version" label="Version">
            <Select id="version" value={version} onChange={(event) => setVersion(event.target.value)}>
              <option value="">Current ({workflow.current.slice(0, 7)})</option>
              {workflow.versions
                .filter((each) => !each.isCurrent)
                .map((each) => (
                  <option key={each.hash} value={each.hash}>
                    {each.hash.slice(0, 7)}
                    {each.note === null ? '' : ` · ${each.note}`}
                  </option>
                ))}
            </Select>
          </Field>
          <label className="flex items-center gap-2 self-end pb-1.5 text-sm font-medium">
            <input
              type="checkbox"
              className="size-4 accent-accent"
              checked={dryRun}
              onChange={(event) => setDryRun(event.target.checked)}
            />
            Dry run: change nothing outside
          </label>
        </Panel>
        {start.error !== null && <ErrorPanel title="The thread was not started" message={sentenceOf(start.error)} />}
        <div className="flex items-center gap-3">
          <Button type="submit" look="solid" disabled={isBusy}>
            <Play aria-hidden />
            {isBusy ? 'Starting…' : 'Start the thread'}
          </Button>
          <span className="hidden text-sm text-ink-faint sm:inline">⌘ Enter or Ctrl Enter</span>
        </div>
      </div>
    </form>
  )
}

/** The message for a field or anything inside it. */
function errorBelow(errors: Map<string, string>, field: string): string | undefined {
  for (const [path, message] of errors) if (path === field || path.startsWith(`${field}.`)) return message
  return undefined
}
