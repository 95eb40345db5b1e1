import { z } from 'zod'
import { jsonObjectSchema, jsonSchema } from '@/server/kernel/json'
import { THREAD_EVENT_TYPES, THREAD_STATUSES } from './status'

/**
 * The one event union: what `thread.records` pages through and `thread.watch` streams.
 *
 * Every record has a cursor: `<height>.<event seq>.<log seq>`, the position after it in each of the three sequences that a
 * thread has (its chain, its lifecycle events, its log). A reader that comes back with the last cursor it saw misses
 * nothing and sees nothing twice. Records come in the order of their time; a later page never holds an earlier one.
 */
export const cursorSchema = z
  .string()
  .regex(/^\d{1,9}\.\d{1,9}\.\d{1,9}$/, 'must be a cursor that an earlier record carried, like 12.3.0')

const base = { cursor: cursorSchema, /** ISO 8601, UTC, milliseconds. */ at: z.string() }

export const startRecordSchema = z.object({
  kind: z.literal('start'),
  ...base,
  hash: z.string(),
  workflow: z.string(),
  bundle: z.string(),
  prompt: z.string(),
  input: jsonSchema,
  depth: z.number(),
  parentState: z.string().nullable(),
})

export const stepRecordSchema = z.object({
  kind: z.literal('step'),
  ...base,
  /** Hash of the state node. */
  hash: z.string(),
  /** Number of the step, from 1; markers are not counted. */
  step: z.number(),
  height: z.number(),
  role: z.string(),
  contentHash: z.string(),
  /** At most `MAX_RECORD_CONTENT` characters; `contentTruncated` says that there is more: `cas.get(contentHash)` has it all. */
  content: z.string(),
  contentTruncated: z.boolean(),
  meta: jsonObjectSchema,
  refs: z.array(z.string()),
  childThread: z.string().nullable(),
  /** Milliseconds since the node before it. */
  durationMs: z.number(),
})

export const statusRecordSchema = z.object({
  kind: z.literal('status'),
  ...base,
  seq: z.number(),
  type: z.enum(THREAD_EVENT_TYPES),
  status: z.enum(THREAD_STATUSES),
  actor: z.string(),
  reason: z.string().nullable(),
})

export const logRecordSchema = z.object({
  kind: z.literal('log'),
  ...base,
  seq: z.number(),
  level: z.enum(['debug', 'info', 'warn', 'error']),
  tag: z.string().nullable(),
  text: z.string(),
})

/** Always the last one: after it a watch is over. */
export const endRecordSchema = z.object({
  kind: z.literal('end'),
  ...base,
  hash: z.string(),
  status: z.enum(['completed', 'failed', 'killed', 'dropped']),
  returnCode: z.number(),
  summary: z.string(),
  /** Steps in all. */
  steps: z.number(),
  durationMs: z.number(),
})

export const threadRecordSchema = z.discriminatedUnion('kind', [
  startRecordSchema,
  stepRecordSchema,
  statusRecordSchema,
  logRecordSchema,
  endRecordSchema,
])
export type ThreadRecord = z.infer<typeof threadRecordSchema>
export type StepRecord = z.infer<typeof stepRecordSchema>

/** Characters of a step's content that travel in a record. */
export const MAX_RECORD_CONTENT = 64 * 1024
