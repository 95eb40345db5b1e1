import { z } from 'zod'
import { jsonObjectSchema, jsonSchema } from '@/server/kernel/json'
import { LOG_LEVELS, QUEUED_CODES, THREAD_STATUSES } from './status'

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

/** A row of the list of threads. */
export const threadListItemSchema = threadSummarySchema.extend({
  /** What it waits for, also while it is paused. */
  waitsFor: z.enum(['input', 'until', 'threads']).nullable(),
})
export type ThreadListItem = z.infer<typeof threadListItemSchema>

/** What a thread waits for, or waited for. */
export const waitViewSchema = z.object({
  key: z.string(),
  kind: z.enum(['input', 'until', 'threads']),
  /** `cancelled`: the thread ended, or its role ran again and waits for something else. */
  status: z.enum(['open', 'answered', 'timed_out', 'cancelled']),
  /** The name that an input must have to answer it. */
  name: z.string(),
  prompt: z.string().nullable(),
  /** JSON Schema of the answer. */
  schema: jsonSchema,
  /** Hash of what is to be approved; an answer names it. */
  subject: z.string().nullable(),
  /** `{role?, names?}`; null: whoever may operate threads. */
  answerers: jsonSchema,
  wakeAt: z.string().nullable(),
  targets: z.array(z.string()),
  mode: z.enum(['all', 'any', 'success']),
  answer: jsonSchema,
  answeredBy: z.string().nullable(),
  answeredAt: z.string().nullable(),
  createdAt: z.string(),
})
export type WaitView = z.infer<typeof waitViewSchema>

export const inputViewSchema = z.object({
  seq: z.number(),
  name: z.string(),
  value: jsonSchema,
  subject: z.string().nullable(),
  actor: z.string(),
  /** Key of the wait that it answered; null while it is kept for one to come. */
  wait: z.string().nullable(),
  /** Why the wait that it was kept for refused it. */
  rejected: z.string().nullable(),
  at: z.string(),
})
export type InputView = z.infer<typeof inputViewSchema>

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
  /** Who asked for `control`, and why. */
  controlActor: z.string().nullable(),
  controlReason: z.string().nullable(),
  /** What it waits for, also while it is paused or queued again before an answer. */
  waiting: waitViewSchema.nullable(),
  /** Why it is queued and not running yet. */
  queued: z.object({ code: z.enum(QUEUED_CODES), message: z.string() }).nullable(),
  /** Node of the source thread that a fork goes on from. */
  forkedAt: z.string().nullable(),
  labels: z.array(z.string()),
  permissions: z.array(z.string()),
  priority: z.number(),
  /** Crashes since the last step. */
  crashes: z.number(),
  /** Milliseconds that it was paused or waiting. */
  idleMs: z.number(),
})
export type ThreadDetail = z.infer<typeof threadDetailSchema>

/** A child of a thread. `end`: its end node, which the step of its caller names; null while it has none. */
export const childSchema = threadSummarySchema.extend({ end: z.string().nullable() })
export type ChildThread = z.infer<typeof childSchema>

/** A node of the caller, after which it called: its step's number, and its role (null for a marker). */
const calledAtSchema = z.object({ hash: z.string(), step: z.number(), role: z.string().nullable() })

/** A thread that called, and where: null before its first step, or where it cannot be told any more. */
export const callerSchema = z.object({ thread: threadSummarySchema, calledAt: calledAtSchema.nullable() })
export type Caller = z.infer<typeof callerSchema>

export const childTreeSchema = z.object({
  thread: threadSummarySchema,
  get children() {
    return z.array(childTreeSchema)
  },
  /** It has more children than these: `thread.children` has all. */
  more: z.boolean(),
})
export type ChildTree = z.infer<typeof childTreeSchema>

export const compareStepSchema = z.object({
  hash: z.string(),
  role: z.string(),
  contentHash: z.string(),
  /** At most `MAX_RECORD_CONTENT` characters. */
  content: z.string(),
  contentTruncated: z.boolean(),
  meta: jsonObjectSchema,
  childThread: z.string().nullable(),
})
export type CompareStep = z.infer<typeof compareStepSchema>

/** The steps of one number in two threads. */
export const compareRowSchema = z.object({
  step: z.number(),
  a: compareStepSchema.nullable(),
  b: compareStepSchema.nullable(),
  differs: z.array(z.enum(['role', 'meta', 'content', 'missing'])),
})
export type CompareRow = z.infer<typeof compareRowSchema>

export const comparisonSchema = z.object({
  /** What both have below the node where they part; `hash` null: nothing. */
  shared: z.object({ steps: z.number(), height: z.number(), hash: z.string().nullable() }),
  /** Neither has a step that the other one has not. */
  identical: z.boolean(),
  sides: z.object({ a: threadSummarySchema, b: threadSummarySchema }),
  /** From the first step that is not shared on. */
  rows: z.array(compareRowSchema),
  /** The `after` of the next page. */
  next: z.number().nullable(),
})
export type Comparison = z.infer<typeof comparisonSchema>

export const logLineSchema = z.object({
  seq: z.number(),
  at: z.string(),
  level: z.enum(LOG_LEVELS),
  tag: z.string().nullable(),
  text: z.string(),
  /** Height of the head when it was said. */
  height: z.number(),
})
export type LogLine = z.infer<typeof logLineSchema>

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
