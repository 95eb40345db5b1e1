import type * as z from 'zod'
import type { AgentResult } from './definition'
import type { MetaProblem } from './errors'
import type { JsonObject } from './types'

export type TakenMeta = { ok: true; meta: JsonObject } | { ok: false; problems: MetaProblem[] }

/**
 * The meta of what an agent returned, without a model: the meta it gave, else its text when that is JSON fitting the schema.
 * The meta is the schema's output, reduced to JSON (absent for undefined).
 */
export function takeMeta(schema: z.ZodType, result: AgentResult): TakenMeta {
  const given = typeof result === 'string' ? undefined : result.meta
  const candidate = given === undefined ? parseText(typeof result === 'string' ? result : result.output) : given
  if (candidate === undefined) {
    return failed(
      '',
      'The text is not JSON. Return JSON that fits the schema, or { output, meta } with the meta beside the text.',
    )
  }
  const parsed = schema.safeParse(candidate)
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message }))
    return { ok: false, problems }
  }
  return toJson(parsed.data)
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Prose is an ordinary answer of an agent; the caller says what was expected instead.
    return undefined
  }
}

function toJson(value: unknown): TakenMeta {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return failed('', 'The meta must be an object.')
  }
  const bad = notJson(value, [])
  if (bad) return failed(bad.join('.'), 'This value has no form in JSON.')
  // `notJson` found nothing that JSON lacks, and the outermost value is an object.
  return { ok: true, meta: JSON.parse(JSON.stringify(value)) as JsonObject }
}

/** Path to the first value that JSON would lose or change, or null. Undefined in an object only means absent. */
function notJson(value: unknown, path: string[]): string[] | null {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return null
  if (typeof value === 'number') return Number.isFinite(value) ? null : path
  if (typeof value !== 'object') return path
  const isList = Array.isArray(value)
  const prototype = Object.getPrototypeOf(value)
  if (!isList && prototype !== Object.prototype && prototype !== null) return path
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined && !isList) continue
    const bad = notJson(item, [...path, key])
    if (bad) return bad
  }
  return null
}

function failed(path: string, message: string): TakenMeta {
  return { ok: false, problems: [{ path, message }] }
}
