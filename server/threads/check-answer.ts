import { type OutputUnit, Validator } from '@cfworker/json-schema'
import type { Json, JsonObject } from '@/sdk/types'
import { OutOfTime, withinTime } from './within-time'

/** A wait's schema: bytes of its JSON text, and levels inside each other, at most. */
export const SCHEMA_LIMITS = { bytes: 64 * 1024, depth: 64 }
/** Of a processor, how much a check may take: a schema comes from a bundle, and may hold a pattern that would take for ever. */
const CHECK_MS = 250
/** Problems that an error names; a value of a megabyte may have very many. */
const MAX_PROBLEMS = 10

export type AnswerProblem = {
  /** Dotted, into the value; empty for the value itself. */
  path: string
  message: string
}
export type Checked = { ok: true } | { ok: false; problems: AnswerProblem[] }

/** Errors that only say that one of the errors after them is inside. */
const WRAPPERS = new Set(['properties', 'patternProperties', 'items', 'prefixItems', '$ref', 'allOf', 'false'])

/**
 * Whether a value is what a JSON Schema (draft 2020-12) asks for. The schema is interpreted, never made code of, and nothing outside
 * of it is read. A schema that cannot be used, or takes longer than 250 ms of a processor, lets nothing through.
 */
export function checkAnswer(schema: JsonObject, value: Json): Checked {
  const unusable = schemaProblem(schema)
  if (unusable !== null) return { ok: false, problems: [{ path: '', message: unusable }] }
  try {
    const { valid, errors } = withinTime(() => new Validator(schema, '2020-12', false).validate(value), CHECK_MS)
    return valid ? { ok: true } : { ok: false, problems: problemsOf(errors) }
  } catch (error) {
    return { ok: false, problems: [{ path: '', message: `cannot be checked: ${whyOf(error)}` }] }
  }
}

/** Why a schema may not be waited with, as the end of a sentence about it; null when it may. */
export function schemaProblem(schema: JsonObject): string | null {
  if (depthOf(schema) > SCHEMA_LIMITS.depth) return `the schema is more than ${SCHEMA_LIMITS.depth} levels deep`
  const bytes = Buffer.byteLength(JSON.stringify(schema))
  return bytes <= SCHEMA_LIMITS.bytes
    ? null
    : `the schema has ${bytes} bytes, more than schemaBytes allows (${SCHEMA_LIMITS.bytes})`
}

export function problemText(problems: readonly AnswerProblem[]): string {
  return problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('; ')
}

function problemsOf(errors: readonly OutputUnit[]): AnswerProblem[] {
  const said = errors.filter((error) => !WRAPPERS.has(error.keyword))
  return (said.length > 0 ? said : errors).slice(0, MAX_PROBLEMS).map(({ instanceLocation, error }) => ({
    path: instanceLocation.split('/').slice(1).map(unescaped).join('.'),
    message: error,
  }))
}

/** A part of a JSON pointer in a URI fragment; a lone `%` is itself. */
function unescaped(part: string): string {
  const text = part.replaceAll('~1', '/').replaceAll('~0', '~')
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function whyOf(error: unknown): string {
  // Errors of a context of its own are no instances of this realm's Error.
  if (typeof error !== 'object' || error === null || !('message' in error)) return 'its schema cannot be used'
  if (error instanceof OutOfTime) return `its schema takes longer than ${CHECK_MS} ms`
  return `its schema cannot be used (${String(error.message).split('\n')[0]})`
}

function depthOf(schema: JsonObject): number {
  let deepest = 0
  const open: { at: Json; depth: number }[] = [{ at: schema, depth: 1 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next.at !== 'object' || next.at === null) continue
    deepest = Math.max(deepest, next.depth)
    if (deepest > SCHEMA_LIMITS.depth) return deepest
    for (const inner of Object.values(next.at)) open.push({ at: inner, depth: next.depth + 1 })
  }
  return deepest
}
