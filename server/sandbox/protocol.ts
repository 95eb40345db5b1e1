import { z } from 'zod'
import type { Json, JsonObject, ThreadContext } from '@/sdk/types'
import { type Hash, hashSchema, nameSchema, type ThreadId, threadIdSchema } from '@/server/kernel/ids'
import { jsonObjectSchema, jsonSchema } from '@/server/kernel/json'
import { MAX_PUTS } from './put-bounds'

/**
 * The one message schema between a trusted process and a sandboxed worker: JSON, a line each, over file descriptor 3.
 *
 * `run` names one execution of one thread. It is 128 random bits that only the worker holding the thread was told, so a
 * worker cannot speak for a thread of another one, and a role cannot guess the run of a sibling in the same process.
 */
const runId = z.string().length(22)

/** From the trusted side, so typed and not parsed. */
export type ToWorker =
  /** Load this bundle; answered by `loaded` or `load-failed`. */
  | { type: 'load'; source: string; hash: string }
  /** Load this bundle and send its `descriptor` export. */
  | { type: 'describe'; source: string }
  /** `head` is the node to go on after; with the thread and `start`, what `attemptKey` is made of. */
  | { type: 'run'; run: string; thread: ThreadContext; head: string; start: string; dryRun: boolean }
  /** The node that a yield became, and its time by the database's clock. */
  | { type: 'appended'; run: string; head: string; timestamp: number }
  | { type: 'reply'; run: string; id: number; value: Json }
  | { type: 'refused'; run: string; id: number; error: { name: string; message: string } }
  /** The run is to end: abort its signal. */
  | { type: 'abort'; run: string; reason: string }
  /** The run is over though its generator is not: nothing is settled any more, and nothing that it sends would count. */
  | { type: 'suspended'; run: string }

const thrown = z.object({
  name: z.string().max(200),
  message: z.string().max(16_384),
  stack: z.string().max(16_384).nullable(),
})

const contents = z.array(z.strictObject({ text: z.string(), refs: z.array(z.string()).max(1000) })).max(MAX_PUTS)
export type PutContent = z.infer<typeof contents>[number]

export const fromWorkerSchema = z.discriminatedUnion('type', [
  /** The shim is up. */
  z.strictObject({ type: z.literal('ready') }),
  z.strictObject({ type: z.literal('loaded') }),
  z.strictObject({ type: z.literal('load-failed'), error: thrown }),
  z.strictObject({ type: z.literal('descriptor'), value: z.unknown() }),
  /** Contents that a later message of this run refers to, or that stay on their own. The runner hashes them itself. */
  z.strictObject({ type: z.literal('put'), run: runId, contents }),
  /** What the generator yielded, checked by the runner, with the contents that it put before. */
  z.strictObject({ type: z.literal('append'), run: runId, contents, output: z.unknown() }),
  /** What the generator returned, checked by the runner. */
  z.strictObject({ type: z.literal('done'), run: runId, completion: z.unknown() }),
  z.strictObject({ type: z.literal('failed'), run: runId, error: thrown }),
  /** The generator of this run is over, however it ended: the worker holds nothing of it any more. */
  z.strictObject({ type: z.literal('over'), run: runId }),
  z.strictObject({
    type: z.literal('call'),
    run: runId,
    id: z.number().int(),
    method: z.enum(['cas.get', 'exec', 'thread.start', 'wait']),
    args: z.unknown(),
  }),
  z.strictObject({
    type: z.literal('log'),
    run: runId,
    level: z.enum(['debug', 'info', 'warn', 'error']),
    tag: z.string().max(64).nullable(),
    text: z.string(),
  }),
])
export type FromWorker = z.infer<typeof fromWorkerSchema>
export type Thrown = z.infer<typeof thrown>

/** A child's prompt, at most, in characters: as much as a person may give. */
const MAX_PROMPT_CHARACTERS = 1024 * 1024
/** What a person is asked, at most, in characters. */
const MAX_QUESTION_CHARACTERS = 16_384
/** Threads that one wait may name. */
const MAX_WAIT_TARGETS = 100
/** The year 9999: JavaScript and Postgres both can say it. */
const LAST_MS = Date.UTC(9999, 11, 31)
const timeoutMs = z.number().int().min(0).max(LAST_MS).nullable()

/** A wait of any kind in one shape, with what its kind lacks filled in. Times in milliseconds. */
export type Wait = {
  kind: 'input' | 'until' | 'threads'
  name: string
  prompt: string | null
  schema: JsonObject | null
  subject: Hash | null
  answerers: { role?: 'operator' | 'author' | 'admin' | 'owner' | undefined; names?: string[] | undefined } | null
  untilMs: number | null
  /** From when the wait is written. */
  timeoutMs: number | null
  targets: ThreadId[]
  mode: 'all' | 'any' | 'success'
}
const NO_WAIT: Omit<Wait, 'kind'> = {
  name: 'input',
  prompt: null,
  schema: null,
  subject: null,
  answerers: null,
  untilMs: null,
  timeoutMs: null,
  targets: [],
  mode: 'all',
}

const waitSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('input'),
      name: nameSchema,
      prompt: z.string().max(MAX_QUESTION_CHARACTERS),
      schema: jsonObjectSchema,
      subject: hashSchema.nullable(),
      answerers: z
        .strictObject({
          role: z.enum(['operator', 'author', 'admin', 'owner']).optional(),
          names: z.array(z.string().min(1).max(200)).max(100).optional(),
        })
        .nullable(),
      timeoutMs,
    }),
    z.strictObject({ kind: z.literal('until'), untilMs: z.number().int().min(0).max(LAST_MS) }),
    z.strictObject({
      kind: z.literal('threads'),
      targets: z.array(threadIdSchema).min(1).max(MAX_WAIT_TARGETS),
      mode: z.enum(['all', 'any', 'success']),
      timeoutMs,
    }),
  ])
  .transform((wait): Wait => ({ ...NO_WAIT, ...wait }))

/** Arguments of the methods that a bundle may call. */
export const callArgs = {
  'cas.get': z.strictObject({ hash: z.string() }),
  exec: z.strictObject({
    command: z.string().max(256),
    args: z.array(z.string()).max(10_000),
    cwd: z.string().max(4096).nullable(),
    stdin: z.string().nullable(),
    timeoutMs: z.number().int().positive().nullable(),
  }),
  'thread.start': z.strictObject({
    workflow: z
      .string()
      .max(78)
      .regex(/^[a-z][a-z0-9-]*(@[0-9A-Z]{13})?$/, 'must be the name of a workflow, or name@hash for one version of it'),
    prompt: z.string().max(MAX_PROMPT_CHARACTERS),
    input: jsonSchema.optional(),
    maxRounds: z.number().int().positive().optional(),
    tags: z.array(nameSchema).max(20).optional(),
    labels: z.array(nameSchema).max(20).optional(),
    priority: z.number().int().min(-1000).max(1000).optional(),
  }),
  wait: waitSchema,
}
