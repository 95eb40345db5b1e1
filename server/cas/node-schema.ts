import { z } from 'zod'
import type { Json, JsonObject } from '@/sdk/types'
import { AppError } from '@/server/kernel/errors'
import { hashSchema } from '@/server/kernel/ids'
import { linkedOf, MAX_ANCESTORS, type Node, refsOf } from './nodes'

/*
 * The inner values of `meta` and `input` come from JSON.parse, so they are JSON by construction. They are not walked with
 * zod: its records lose a `__proto__` key, and its recursion has no depth limit.
 */
const metaSchema = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be an object',
)
const inputSchema = z.custom<Json>((value) => value !== undefined, 'must be JSON')

const hashOrNull = hashSchema.nullable()
const refsSchema = z.array(hashSchema)

const nodeSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('content'), payload: z.string(), refs: refsSchema }),
  z.strictObject({
    type: z.literal('start'),
    payload: z.strictObject({
      name: z.string(),
      hash: hashSchema,
      depth: z.int().nonnegative(),
      parentState: hashOrNull,
      maxRounds: z.int().positive().exactOptional(),
      input: inputSchema.exactOptional(),
    }),
    refs: refsSchema.min(1, 'must begin with the prompt'),
  }),
  z.strictObject({
    type: z.literal('state'),
    payload: z.strictObject({
      role: z.string(),
      meta: metaSchema,
      start: hashSchema,
      content: hashSchema,
      ancestors: z.array(hashSchema).max(MAX_ANCESTORS),
      compact: hashOrNull,
      timestamp: z.int(),
      childThread: hashOrNull,
    }),
    refs: refsSchema,
  }),
  z.strictObject({
    type: z.literal('group'),
    payload: z.strictObject({
      threads: z.array(z.strictObject({ threadId: z.string(), workflow: z.string(), returnCode: z.int() })),
    }),
    refs: refsSchema,
  }),
])

/** The node that this parsed JSON says, with its refs checked. Throws CORRUPT_NODE saying what is wrong. */
export function nodeFrom(json: unknown, hash: string): Node {
  const parsed = nodeSchema.safeParse(json)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw corrupt(hash, `${issue?.path.join('.') || 'it'}: ${issue?.message ?? 'not a node'}`, parsed.error)
  }
  const node = parsed.data
  const expected = refsOf(node, linkedOf(node))
  if (expected.length !== node.refs.length || expected.some((ref, index) => ref !== node.refs[index])) {
    throw corrupt(hash, 'its refs are not those that its payload asks for')
  }
  if (node.type === 'group' && node.refs.length !== node.payload.threads.length) {
    throw corrupt(hash, 'it does not have one end node for each of its threads')
  }
  return node
}

/** `hash` may be empty when the caller does not know it. */
export function corrupt(hash: string, why: string, cause?: unknown): AppError<'CORRUPT_NODE'> {
  const name = hash === '' ? 'A stored node' : `The stored node ${hash}`
  return new AppError(
    'CORRUPT_NODE',
    `${name} is damaged: ${why}. Restore it from a backup; nodes are never repaired in place.`,
    { hash },
    { cause },
  )
}
