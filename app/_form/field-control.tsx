'use client'

import { Plus, Trash2 } from 'lucide-react'
import { Button } from '@/app/_ui/button'
import { Field, Input, Select, Textarea } from '@/app/_ui/field'
import { type Draft, draftOf } from './form-draft'
import type { FormField } from './form-field'

type ControlProps = {
  /** Begins the ids of the controls: two forms on one page have different ones. */
  form: string
  name: string
  path: string
  field: FormField
  draft: Draft
  isRequired: boolean
  problems: Map<string, string>
  onChange: (draft: Draft) => void
}

/** The id of the control at a dotted path, where a person is led to what is wrong. */
export function controlId(form: string, path: string): string {
  return `${form}-${path}`
}

/** The control for one field of the input, with those inside it. */
export function FieldControl(props: ControlProps) {
  const { form, name, path, field, draft, isRequired, problems, onChange } = props
  const label = field.title ?? name
  if (field.kind === 'object') return <ObjectControl {...props} field={field} label={label} />
  if (field.kind === 'array') return <ArrayControl {...props} field={field} label={label} />
  const id = controlId(form, path)
  const error = problems.get(path)
  const described = error !== undefined || field.description !== null ? `${id}-note` : undefined
  const common = { id, 'aria-describedby': described, 'aria-invalid': error !== undefined }
  const text = typeof draft === 'string' ? draft : ''
  if (field.kind === 'boolean') {
    return (
      <div className="grid gap-1">
        <label htmlFor={id} className="flex items-center gap-2 text-sm font-medium">
          <input
            {...common}
            type="checkbox"
            className="size-4 accent-accent"
            checked={draft === true}
            onChange={(event) => onChange(event.target.checked)}
          />
          {label}
        </label>
        {field.description !== null && (
          <p id={`${id}-note`} className="text-sm text-ink-faint">
            {field.description}
          </p>
        )}
      </div>
    )
  }
  const change = (event: { target: { value: string } }) => onChange(event.target.value)
  return (
    <Field
      id={id}
      label={label}
      hint={field.description ?? undefined}
      error={error}
      required={isRequired && !field.isNullable}
    >
      {field.kind === 'choice' ? (
        <Select {...common} value={text} onChange={change}>
          <option value="">{isRequired ? 'Choose…' : 'None'}</option>
          {field.options.map((option) => (
            <option key={JSON.stringify(option)} value={JSON.stringify(option)}>
              {typeof option === 'string' ? option : JSON.stringify(option)}
            </option>
          ))}
        </Select>
      ) : field.kind === 'raw' ? (
        <Textarea {...common} value={text} onChange={change} spellCheck={false} className="font-mono text-xs" />
      ) : field.kind === 'string' && field.isLong ? (
        <Textarea {...common} value={text} onChange={change} />
      ) : (
        <Input
          {...common}
          value={text}
          onChange={change}
          {...(field.kind === 'number' ? { inputMode: field.isInteger ? 'numeric' : 'decimal' } : {})}
        />
      )}
    </Field>
  )
}

type LabelledProps<K extends FormField['kind']> = Omit<ControlProps, 'field'> & {
  field: Extract<FormField, { kind: K }>
  label: string
}

function ObjectControl({ form, field, label, path, draft, problems, onChange }: LabelledProps<'object'>) {
  const members = typeof draft === 'object' && !Array.isArray(draft) ? draft : {}
  return (
    <fieldset className={path === '' ? 'grid gap-4' : 'grid gap-4 rounded-lg border border-line p-3'}>
      {path !== '' && <legend className="px-1 text-sm font-medium">{label}</legend>}
      {path !== '' && field.description !== null && <p className="text-sm text-ink-faint">{field.description}</p>}
      {field.fields.map((each) => (
        <FieldControl
          key={each.name}
          form={form}
          name={each.name}
          path={path === '' ? each.name : `${path}.${each.name}`}
          field={each.field}
          isRequired={each.isRequired}
          draft={Object.hasOwn(members, each.name) ? (members[each.name] ?? '') : ''}
          problems={problems}
          onChange={(inner) => onChange({ ...members, [each.name]: inner })}
        />
      ))}
    </fieldset>
  )
}

function ArrayControl({ form, field, label, path, draft, problems, onChange }: LabelledProps<'array'>) {
  const items = Array.isArray(draft) ? draft : []
  return (
    <fieldset className="grid gap-2 rounded-lg border border-line p-3">
      <legend className="px-1 text-sm font-medium">{label}</legend>
      {field.description !== null && <p className="text-sm text-ink-faint">{field.description}</p>}
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items have no identity but their place
        <div key={index} className="flex items-end gap-2">
          <div className="min-w-0 flex-1">
            <FieldControl
              form={form}
              name={`${label} ${index + 1}`}
              path={`${path}.${index}`}
              field={field.item}
              isRequired
              draft={item}
              problems={problems}
              onChange={(inner) => onChange(items.with(index, inner))}
            />
          </div>
          <Button
            look="quiet"
            size="icon"
            aria-label={`Remove ${label} ${index + 1}`}
            onClick={() => onChange(items.toSpliced(index, 1))}
          >
            <Trash2 aria-hidden />
          </Button>
        </div>
      ))}
      <Button size="small" className="w-fit" onClick={() => onChange([...items, draftOf(field.item)])}>
        <Plus aria-hidden />
        Add
      </Button>
    </fieldset>
  )
}
