import { z } from 'zod'
import { jsonSchema } from '@/server/kernel/json'
import { THREAD_STATUSES } from './status'

/** What the API tells of a thread. Times are ISO 8601 in UTC with milliseconds. */
export const threadSummarySchema = z.object({
  id: z.string(),
  workflow: z.string(),
  bundle: z.string(),
  status: z.enum(THREAD_STATUSES),
  control: z.enum(['pause', 'kill']).nullable(),
  steps: z.number(),
  excerpt: z.string(),
  tags: z.array(z.string()),
  actor: z.string(),
  origin: z.enum(['web', 'cli', 'api', 'thread', 'sense']),
  attempt: z.number(),
  runner: z.string().nullable(),
  returnCode: z.number().nullable(),
  summary: z.string().nullable(),
  createdAt: z.string(),
  startedAt: z.string().nullable(),
  finishedAt: z.string().nullable(),
  updatedAt: z.string(),
})
export type ThreadSummary = z.infer<typeof threadSummarySchema>

export const threadDetailSchema = threadSummarySchema.extend({
  start: z.string(),
  head: z.string(),
  height: z.number(),
  prompt: z.string(),
  input: jsonSchema,
  depth: z.number(),
  parentThread: z.string().nullable(),
  sourceThread: z.string().nullable(),
  maxRounds: z.number().nullable(),
  deadlineAt: z.string().nullable(),
  dryRun: z.boolean(),
})
export type ThreadDetail = z.infer<typeof threadDetailSchema>

/** One damaged object, as `verify` names it. */
export const findingSchema = z.object({
  hash: z.string(),
  type: z.string(),
  problem: z.enum(['missing', 'hash', 'digest', 'not-canonical', 'refs', 'columns', 'chain', 'bundle']),
  message: z.string(),
})
export const verifyReportSchema = z.object({
  ok: z.boolean(),
  /** Digest of the head, hex: commits to the whole history below it. */
  headDigest: z.string().nullable(),
  nodes: z.number(),
  bytes: z.number(),
  findings: z.array(findingSchema),
  /** Threads whose history holds one of the damaged objects. */
  affectedThreads: z.array(z.string()),
  durationMs: z.number(),
})
export type VerifyReport = z.infer<typeof verifyReportSchema>
