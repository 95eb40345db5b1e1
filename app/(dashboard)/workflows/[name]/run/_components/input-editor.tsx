'use client'

import { useMemo, useState } from 'react'
import { Button } from '@/app/_ui/button'
import { Panel } from '@/app/_ui/panel'
import type { Json } from '@/sdk/types'
import { type Draft, draftOf, type Reading, readDraft } from '../_model/form-draft'
import { type FormField, formFieldOf } from '../_model/form-field'
import { FieldControl } from './field-control'

const RAW: FormField = { kind: 'raw', title: 'Input', description: null, default: undefined, isNullable: true }

/** State of the input: a form where the workflow has a schema of its input, else raw JSON; the reader can change between them. */
export function useInputDraft(schema: Json | undefined, given: Json | undefined) {
  const field = useMemo(() => (schema === undefined ? RAW : formFieldOf(schema)), [schema])
  const [isRaw, setIsRaw] = useState(field.kind === 'raw')
  const [draft, setDraft] = useState<Draft>(() => draftOf(field, given ?? field.default))
  const active = isRaw ? RAW : field
  return {
    field: active,
    draft,
    isRaw,
    canSwitch: field.kind !== 'raw',
    setDraft,
    // A form is read as a whole, so that a required field of it is missed; raw JSON may be left empty.
    read: (): Reading => readDraft(active, draft, active.kind === 'object'),
    /** What stands in one way is carried to the other, as far as it can be read. */
    toggle: () => {
      const { value } = readDraft(active, draft, false)
      const next = isRaw ? field : RAW
      setIsRaw(!isRaw)
      setDraft(draftOf(next, value))
    },
  }
}

export function InputEditor(props: { input: ReturnType<typeof useInputDraft>; problems: Map<string, string> }) {
  const { input, problems } = props
  return (
    <Panel
      title="Input"
      aside={
        input.canSwitch && (
          <Button size="small" look="quiet" onClick={input.toggle}>
            {input.isRaw ? 'As a form' : 'As JSON'}
          </Button>
        )
      }
    >
      <FieldControl
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
