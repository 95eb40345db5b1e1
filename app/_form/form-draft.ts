import type { Json } from '@/sdk/types'
import type { FormField } from './form-field'

/** What stands in the controls: text for strings, numbers, choices (their JSON) and raw JSON. */
export type Draft = string | boolean | Draft[] | { [name: string]: Draft }

/** The draft that shows `value`, or the field's default where there is none. */
export function draftOf(field: FormField, value: Json | undefined = field.default): Draft {
  switch (field.kind) {
    case 'string':
      return typeof value === 'string' ? value : ''
    case 'number':
      return typeof value === 'number' ? String(value) : ''
    case 'boolean':
      return value === true
    case 'choice':
      return value === undefined ? '' : JSON.stringify(value)
    case 'raw':
      return value === undefined ? '' : JSON.stringify(value, null, 2)
    case 'array':
      return Array.isArray(value) ? value.map((item) => draftOf(field.item, item)) : []
    case 'object': {
      const members = isObject(value) ? value : {}
      return Object.fromEntries(
        field.fields.map((each) => [
          each.name,
          draftOf(each.field, Object.hasOwn(members, each.name) ? members[each.name] : each.field.default),
        ]),
      )
    }
  }
}

/** `value` is undefined for what was left empty and may be; `problems` by dotted path. */
export type Reading = { value: Json | undefined; problems: Map<string, string> }

/** The JSON that a draft says. */
export function readDraft(field: FormField, draft: Draft, isRequired = true, path = ''): Reading {
  const empty = (): Reading =>
    isRequired && !field.isNullable
      ? problem(path, 'Fill this in.')
      : { value: isRequired ? null : undefined, problems: new Map() }
  if (field.kind === 'object') return readObject(field, draft, isRequired, path)
  if (field.kind === 'array') return readArray(field, draft, isRequired, path)
  if (field.kind === 'boolean') return { value: draft === true, problems: new Map() }
  const text = typeof draft === 'string' ? draft : ''
  if (text.trim() === '') return empty()
  if (field.kind === 'string') return { value: text, problems: new Map() }
  if (field.kind === 'number') return readNumber(field, text, path)
  try {
    // JSON.parse gives JSON.
    return { value: JSON.parse(text) as Json, problems: new Map() }
  } catch (error) {
    return problem(path, `This is not JSON: ${error instanceof Error ? error.message : 'it does not parse'}.`)
  }
}

function readNumber(field: Extract<FormField, { kind: 'number' }>, text: string, path: string): Reading {
  const value = Number(text)
  if (!Number.isFinite(value)) return problem(path, 'This is not a number.')
  if (field.isInteger && !Number.isInteger(value)) return problem(path, 'This must be a whole number.')
  if (field.min !== null && value < field.min) return problem(path, `This must be at least ${field.min}.`)
  if (field.max !== null && value > field.max) return problem(path, `This must be at most ${field.max}.`)
  return { value, problems: new Map() }
}

function readObject(
  field: Extract<FormField, { kind: 'object' }>,
  draft: Draft,
  isRequired: boolean,
  path: string,
): Reading {
  const members = typeof draft === 'object' && !Array.isArray(draft) ? draft : {}
  const isUntouched = !isRequired && isBlank(draft)
  if (isUntouched) return { value: undefined, problems: new Map() }
  const problems = new Map<string, string>()
  const entries: [string, Json][] = []
  for (const each of field.fields) {
    const inner = Object.hasOwn(members, each.name) ? members[each.name] : undefined
    const read = readDraft(each.field, inner ?? '', each.isRequired, joined(path, each.name))
    for (const [at, text] of read.problems) problems.set(at, text)
    if (read.value !== undefined) entries.push([each.name, read.value])
  }
  return { value: Object.fromEntries(entries), problems }
}

function readArray(
  field: Extract<FormField, { kind: 'array' }>,
  draft: Draft,
  isRequired: boolean,
  path: string,
): Reading {
  const items = Array.isArray(draft) ? draft : []
  // An emptied list differs from the default; a list that never had anything is left out.
  if (items.length === 0 && !isRequired && field.default === undefined) return { value: undefined, problems: new Map() }
  const problems = new Map<string, string>()
  const values: Json[] = []
  for (const [index, item] of items.entries()) {
    const read = readDraft(field.item, item, true, joined(path, String(index)))
    for (const [at, text] of read.problems) problems.set(at, text)
    if (read.value !== undefined) values.push(read.value)
  }
  return { value: values, problems }
}

function isBlank(draft: Draft): boolean {
  if (typeof draft === 'string') return draft.trim() === ''
  if (typeof draft === 'boolean') return !draft
  return Object.values(draft).every(isBlank)
}

function problem(path: string, text: string): Reading {
  return { value: undefined, problems: new Map([[path, text]]) }
}

function joined(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
