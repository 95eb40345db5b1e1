'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { controlId, FieldControl } from '@/app/_form/field-control'
import { type Draft, draftOf, type Reading, readDraft } from '@/app/_form/form-draft'
import { type FormField, formFieldOf } from '@/app/_form/form-field'
import { useTRPC } from '@/app/_trpc/context'
import { fieldErrorsOf, sentenceOf } from '@/app/_trpc/errors'
import { Button } from '@/app/_ui/button'
import type { WaitView } from '@/server/threads/views'
import { type Decision, type DecisionOption, decide, decisionOf } from '../_model/decision'

const FORM = 'answer'

/** What a schema that says nothing gets: JSON is typed. */
const ANYTHING: FormField = { kind: 'raw', title: 'Answer', description: null, default: undefined, isNullable: false }

/** Answers a wait: a form made from its schema, or buttons where one press answers it. */
export default function AnswerForm({ threadId, wait }: { threadId: string; wait: WaitView }) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const field = useMemo(() => {
    const made = wait.schema === null ? ANYTHING : formFieldOf(wait.schema)
    return made.kind === 'raw' ? ANYTHING : made
  }, [wait.schema])
  const decision = useMemo(() => decisionOf(field), [field])
  const shown = decision === null ? field : decision.rest
  const [draft, setDraft] = useState<Draft>(() => (shown === null ? '' : draftOf(shown)))
  const [problems, setProblems] = useState(new Map<string, string>())
  const give = useMutation(
    trpc.thread.input.mutationOptions({
      onSettled: () => queryClient.invalidateQueries({ queryKey: trpc.thread.pathKey() }),
    }),
  )
  const submit = (read: Reading) => {
    setProblems(read.problems)
    const first = read.problems.keys().next()
    if (!first.done) {
      document.getElementById(controlId(FORM, first.value))?.focus()
      return
    }
    give.mutate({
      id: threadId,
      value: read.value ?? null,
      name: wait.name,
      wait: wait.key,
      ...(wait.subject === null ? {} : { subject: wait.subject }),
    })
  }
  const isBusy = give.isPending || give.isSuccess
  const refused = fieldErrorsOf(give.error)

  return (
    <form
      aria-label="Answer"
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (decision === null && !isBusy) submit(readDraft(field, draft))
      }}
    >
      {shown !== null && (
        <FieldControl
          form={FORM}
          name="Answer"
          path=""
          field={shown}
          draft={draft}
          isRequired
          problems={problems.size > 0 ? problems : refused}
          onChange={setDraft}
        />
      )}
      {give.error !== null && (
        <p role="alert" className="text-sm whitespace-pre-line text-danger">
          {sentenceOf(give.error)}
        </p>
      )}
      {decision === null ? (
        <Button type="submit" look="solid" className="w-fit" disabled={isBusy}>
          {isBusy ? 'Sending…' : 'Send the answer'}
        </Button>
      ) : (
        <DecisionButtons
          decision={decision}
          isBusy={isBusy}
          onPick={(option) => submit(readDraft(field, decide(decision, option, draft)))}
        />
      )}
    </form>
  )
}

function DecisionButtons(props: { decision: Decision; isBusy: boolean; onPick: (option: DecisionOption) => void }) {
  return (
    <fieldset className="flex flex-wrap items-center gap-2">
      <legend className={props.decision.title === null ? 'sr-only' : 'mb-1.5 text-sm font-medium'}>
        {props.decision.title ?? 'Decision'}
      </legend>
      {props.decision.options.map((option) => (
        <Button key={option.label} look={option.look} disabled={props.isBusy} onClick={() => props.onPick(option)}>
          {option.label}
        </Button>
      ))}
    </fieldset>
  )
}
