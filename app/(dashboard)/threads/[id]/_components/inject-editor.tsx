'use client'

import { type Ref, useImperativeHandle, useState } from 'react'
import { InputEditor, useInputDraft } from '@/app/_form/input-editor'
import { Field, Select, Textarea } from '@/app/_ui/field'
import type { Json } from '@/sdk/types'
import type { Descriptor } from '@/server/registry/views'
import type { InjectedStep } from '../_model/fork-request'

/** Begins the ids of the controls of the meta. */
export const META_FORM = 'fork-meta'

export type InjectHandle = {
  /** The result as it stands, or the paths of its meta that are wrong. */
  read: () => { step: InjectedStep } | { problems: Map<string, string> }
}

type InjectEditorProps = { descriptor: Descriptor; given: InjectedStep | null; ref: Ref<InjectHandle> }

/** A result that the fork takes as if a role had returned it. */
export function InjectEditor({ descriptor, given, ref }: InjectEditorProps) {
  const roles = Object.keys(descriptor.roles)
  const [role, setRole] = useState(given?.role ?? roles[0] ?? '')
  const [content, setContent] = useState(given?.content ?? '')
  return (
    <div className="grid gap-3">
      <Field id="fork-role" label="Role">
        <Select id="fork-role" value={role} onChange={(event) => setRole(event.target.value)}>
          {roles.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </Select>
      </Field>
      <Field id="fork-content" label="Content">
        <Textarea id="fork-content" value={content} onChange={(event) => setContent(event.target.value)} />
      </Field>
      <MetaEditor
        key={role}
        schema={Object.hasOwn(descriptor.roles, role) ? descriptor.roles[role]?.schema : undefined}
        given={given !== null && given.role === role ? given.meta : undefined}
        step={{ role, content }}
        ref={ref}
      />
    </div>
  )
}

function MetaEditor(props: {
  schema: Json | undefined
  given: Json | undefined
  step: { role: string; content: string }
  ref: Ref<InjectHandle>
}) {
  const meta = useInputDraft(props.schema, props.given, 'Meta')
  const [problems, setProblems] = useState(new Map<string, string>())
  useImperativeHandle(props.ref, () => ({
    read: () => {
      const { value, problems: found } = meta.read()
      setProblems(found)
      if (found.size > 0) return { problems: found }
      if (value === undefined || value === null) return { step: { ...props.step, meta: {} } }
      if (typeof value === 'object' && !Array.isArray(value)) return { step: { ...props.step, meta: value } }
      const notAnObject = new Map([['', 'The meta of a step is an object.']])
      setProblems(notAnObject)
      return { problems: notAnObject }
    },
  }))
  return <InputEditor form={META_FORM} input={meta} problems={problems} />
}
