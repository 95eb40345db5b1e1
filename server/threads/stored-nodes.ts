import { z } from 'zod'
import { corrupt } from '@/server/cas/node-schema'
import { isLegacy, readNode } from '@/server/cas/parse-node'
import { jsonObjectSchema, jsonSchema } from '@/server/kernel/json'

/**
 * Reading what a page shows out of stored nodes. It checks the shape only: whether the bytes are what their hash says is
 * the work of `verify`, and costs far more.
 */
const metaSchema = z.object({ payload: z.object({ meta: jsonObjectSchema }) })
const contentSchema = z.object({ payload: z.string() })
const startSchema = z.object({
  payload: z.object({ name: z.string(), hash: z.string(), input: jsonSchema.default(null) }),
})

export function stateMeta(body: string, hash: string) {
  return read(metaSchema, body, hash).payload.meta
}

export function startPayload(body: string, hash: string) {
  return read(startSchema, body, hash).payload
}

function read<S extends z.ZodType>(schema: S, body: string, hash: string): z.output<S> {
  const parsed = schema.safeParse(isLegacy(body) ? readNode(body, hash) : jsonOf(body, hash))
  if (!parsed.success) throw corrupt(hash, z.prettifyError(parsed.error), parsed.error)
  return parsed.data
}

function jsonOf(body: string, hash: string): unknown {
  try {
    return JSON.parse(body)
  } catch (cause) {
    throw corrupt(hash, 'it is not JSON', cause)
  }
}

/** The whole text of a content node; empty when the node is gone. */
export function contentText(body: string | null, hash: string): string {
  return body === null ? '' : read(contentSchema, body, hash).payload
}
