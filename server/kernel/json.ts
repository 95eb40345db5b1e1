import { z } from 'zod'
import type { Json, JsonObject } from '@/sdk/types'

/** Arrays and objects inside each other, at most: the bound of the canonical encoder. */
const MAX_DEPTH = 512

/**
 * Any JSON value, as it is. Zod's own `json` and `record` build a copy that silently lacks the key `__proto__`, and
 * overflow the stack on deep values; what a user stores must come back unchanged.
 */
export const jsonSchema = z.custom<Json>(isJson, `must be a JSON value, at most ${MAX_DEPTH} levels deep`)

/** A JSON object, as it is: see `jsonSchema`. */
export const jsonObjectSchema = z.custom<JsonObject>(
  (value) => isJson(value) && typeof value === 'object' && value !== null && !Array.isArray(value),
  `must be a JSON object, at most ${MAX_DEPTH} levels deep`,
)

export function isJson(value: unknown): value is Json {
  const open: { value: unknown; depth: number }[] = [{ value, depth: 0 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value: at, depth } = next
    if (at === null || typeof at === 'string' || typeof at === 'boolean') continue
    if (typeof at === 'number' && Number.isFinite(at)) continue
    if (typeof at !== 'object' || depth >= MAX_DEPTH) return false
    if (!Array.isArray(at) && !isPlain(at)) return false
    for (const inner of Object.values(at)) open.push({ value: inner, depth: depth + 1 })
  }
  return true
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
