'use client'

import { useMemo, useState } from 'react'
import { Button } from '@/app/_ui/button'
import { Panel } from '@/app/_ui/panel'
import type { Json } from '@/sdk/types'
import { FieldControl } from './field-control'
import { type Draft, draftOf, type Reading, readDraft } from './form-draft'
import { type FormField, formFieldOf } from './form-field'

const rawField = (title: string): FormField => ({
  kind: 'raw',
  title,
  description: null,
  default: undefined,
  isNullable: true,
})

/** State of JSON that a person gives: a form where there is a schema of it, else raw JSON; they can change between the two. */
export function useInputDraft(schema: Json | undefined, given: Json | undefined, title = 'Input') {
  const raw = useMemo(() => rawField(title), [title])
  const field = useMemo(() => (schema === undefined ? raw : formFieldOf(schema)), [schema, raw])
  const [isRaw, setIsRaw] = useState(field.kind === 'raw')
  const [draft, setDraft] = useState<Draft>(() => draftOf(field, given ?? field.default))
  const active = isRaw ? raw : field
  return {
    field: active,
    draft,
    isRaw,
    title,
    canSwitch: field.kind !== 'raw',
    setDraft,
    // A form is read as a whole, so that a required field of it is missed; raw JSON may be left empty.
    read: (): Reading => readDraft(active, draft, active.kind === 'object'),
    /** What stands in one way is carried to the other, as far as it can be read. */
    toggle: () => {
      const { value } = readDraft(active, draft, false)
      const next = isRaw ? field : raw
      setIsRaw(!isRaw)
      setDraft(draftOf(next, value))
    },
  }
}

export type InputDraft = ReturnType<typeof useInputDraft>

/** `form` begins the ids of its controls. */
export function InputEditor(props: { input: InputDraft; problems: Map<string, string>; form?: string }) {
  const { input, problems, form = 'input' } = props
  return (
    <Panel
      title={input.title}
      aside={
        input.canSwitch && (
          <Button size="small" look="quiet" onClick={input.toggle}>
            {input.isRaw ? 'As a form' : 'As JSON'}
          </Button>
        )
      }
    >
      <FieldControl
        form={form}
        name="JSON"
        path=""
        field={input.field}
        draft={input.draft}
        isRequired={false}
        problems={problems}
        onChange={input.setDraft}
      />
    </Panel>
  )
}
