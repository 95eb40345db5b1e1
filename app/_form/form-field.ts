import type { Json } from '@/sdk/types'

type Base = { title: string | null; description: string | null; default: Json | undefined; isNullable: boolean }

/** A part of the run form, made from a JSON Schema. `raw` stands for what has no control of its own: JSON is typed. */
export type FormField = Base &
  (
    | { kind: 'string'; isLong: boolean }
    | { kind: 'number'; isInteger: boolean; min: number | null; max: number | null }
    | { kind: 'boolean' }
    | { kind: 'choice'; options: Json[] }
    | { kind: 'object'; fields: { name: string; field: FormField; isRequired: boolean }[] }
    | { kind: 'array'; item: FormField }
    | { kind: 'raw' }
  )

/** Objects and arrays inside each other that get controls; what is deeper is typed as JSON. */
const MAX_DEPTH = 5
/** A string that may be longer than this gets several lines. */
const LONG = 400

type Schema = { [key: string]: Json }

export function formFieldOf(schema: Json, depth = 0): FormField {
  if (!isSchema(schema)) return { kind: 'raw', ...NO_BASE }
  const { schema: plain, isNullable } = withoutNull(schema)
  const base: Base = {
    title: textOf(schema, 'title') ?? textOf(plain, 'title'),
    description: textOf(schema, 'description') ?? textOf(plain, 'description'),
    default: member(schema, 'default') ?? member(plain, 'default'),
    isNullable,
  }
  const options = optionsOf(plain)
  if (options !== null) return { ...base, kind: 'choice', options }
  switch (member(plain, 'type')) {
    case 'string':
      return { ...base, kind: 'string', isLong: (numberOf(plain, 'maxLength') ?? 0) > LONG }
    case 'number':
    case 'integer':
      return {
        ...base,
        kind: 'number',
        isInteger: member(plain, 'type') === 'integer',
        min: safeBound(numberOf(plain, 'minimum')),
        max: safeBound(numberOf(plain, 'maximum')),
      }
    case 'boolean':
      return { ...base, kind: 'boolean' }
    case 'object':
      return objectField(base, plain, depth)
    case 'array': {
      const item = member(plain, 'items')
      if (depth >= MAX_DEPTH || item === undefined || !isSchema(item)) return { ...base, kind: 'raw' }
      return { ...base, kind: 'array', item: formFieldOf(item, depth + 1) }
    }
    default:
      return { ...base, kind: 'raw' }
  }
}

const NO_BASE: Base = { title: null, description: null, default: undefined, isNullable: false }

function objectField(base: Base, schema: Schema, depth: number): FormField {
  const properties = member(schema, 'properties')
  if (depth >= MAX_DEPTH || properties === undefined || !isSchema(properties)) return { ...base, kind: 'raw' }
  const required = member(schema, 'required')
  const names = new Set(Array.isArray(required) ? required : [])
  const fields = Object.entries(properties).map(([name, property]) => ({
    name,
    field: formFieldOf(property, depth + 1),
    isRequired: names.has(name),
  }))
  return { ...base, kind: 'object', fields }
}

/** `type: [T, 'null']` and `anyOf: [T, null]` are T that may be left empty. */
function withoutNull(schema: Schema): { schema: Schema; isNullable: boolean } {
  const type = member(schema, 'type')
  if (Array.isArray(type)) {
    const rest = type.filter((name) => name !== 'null')
    const only = rest.length === 1 ? rest[0] : undefined
    return { schema: { ...schema, type: only ?? null }, isNullable: rest.length < type.length }
  }
  const ways = member(schema, 'anyOf')
  if (Array.isArray(ways)) {
    const rest = ways.filter((way) => !(isSchema(way) && member(way, 'type') === 'null'))
    const only = rest[0]
    if (rest.length === 1 && rest.length < ways.length && only !== undefined && isSchema(only)) {
      return { schema: only, isNullable: true }
    }
  }
  return { schema, isNullable: false }
}

function optionsOf(schema: Schema): Json[] | null {
  const options = member(schema, 'enum')
  if (Array.isArray(options) && options.length > 0) return options
  const only = member(schema, 'const')
  return only === undefined ? null : [only]
}

function isSchema(value: Json): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function member(schema: Schema, key: string): Json | undefined {
  return Object.hasOwn(schema, key) ? schema[key] : undefined
}

function textOf(schema: Schema, key: string): string | null {
  const value = member(schema, key)
  return typeof value === 'string' ? value : null
}

function numberOf(schema: Schema, key: string): number | null {
  const value = member(schema, key)
  return typeof value === 'number' ? value : null
}

/** Schema makers write "any safe integer" as a bound, which tells a person nothing. */
function safeBound(bound: number | null): number | null {
  return bound !== null && Math.abs(bound) >= Number.MAX_SAFE_INTEGER ? null : bound
}
