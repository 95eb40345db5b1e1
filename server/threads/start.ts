import { createHash } from 'node:crypto'
import type { Queryable } from '@/db/client'
import { plainText } from '@/db/queries/threads/append-steps'
import { startThreadRow } from '@/db/queries/threads/start-thread'
import type { Json } from '@/sdk/types'
import type { Actor } from '@/server/access/actor'
import { canonicalJson } from '@/server/cas/canonical'
import { digestOf, initHash } from '@/server/cas/hash'
import { contentNode, startNode } from '@/server/cas/nodes'
import { AppError } from '@/server/kernel/errors'
import { newThreadId, type ThreadId } from '@/server/kernel/ids'
import { resolveBundle } from '@/server/registry/resolve'
import { BOUNDS } from './limits'
import type { ThreadStatus } from './status'

export type StartInput = {
  /** `name` for its current version, or `name@hash`. */
  workflow: string
  prompt: string
  input?: Json | undefined
  maxRounds?: number | undefined
  /** Seconds from now. */
  deadlineSeconds?: number | undefined
  tags?: string[] | undefined
  dryRun?: boolean | undefined
  idempotencyKey?: string | undefined
}

export type StartedThread = { id: ThreadId; workflow: string; bundle: string; status: ThreadStatus; created: boolean }

const EXCERPT_CHARACTERS = 200

/**
 * Starts a thread: readable by everyone and claimable when this resolves. The same idempotency key with the same input
 * gives the thread that it started the first time; with another input, CONFLICT.
 */
export async function startThread(db: Queryable, input: StartInput, actor: Actor): Promise<StartedThread> {
  await initHash()
  const { name, hash: bundle } = await resolveBundle(db, input.workflow)
  const prompt = contentNode(input.prompt, [])
  refuseAbove('prompt', prompt.size)
  const promptDigest = digestOf(prompt.body, [])
  const start = startNode({
    name,
    bundle,
    depth: 0,
    parentState: null,
    prompt: prompt.hash,
    maxRounds: input.maxRounds,
    input: input.input,
  })
  refuseAbove('input', start.size)
  const idempotencyDigest = input.idempotencyKey === undefined ? null : inputDigest(input)
  const row = await startThreadRow(db, {
    id: newThreadId(),
    workflow: name,
    bundle,
    prompt: { hash: prompt.hash, body: prompt.body, digest: promptDigest.toString('hex') },
    start: {
      hash: start.hash,
      body: start.body,
      refs: start.refs,
      digest: digestOf(start.body, [promptDigest]).toString('hex'),
    },
    depth: 0,
    parentState: null,
    priority: 0,
    maxRounds: input.maxRounds ?? null,
    deadlineSeconds: input.deadlineSeconds ?? null,
    dryRun: input.dryRun ?? false,
    tags: input.tags ?? [],
    actor: actor.name,
    origin: actor.origin,
    idempotencyKey: input.idempotencyKey ?? null,
    idempotencyDigest,
    excerpt: plainText([...input.prompt.slice(0, EXCERPT_CHARACTERS * 2)].slice(0, EXCERPT_CHARACTERS).join('')),
  })
  if (!row.created && row.digest !== idempotencyDigest) {
    throw new AppError(
      'CONFLICT',
      `The idempotency key ${input.idempotencyKey} was used for thread ${row.id} with another input. Use a new key for a new thread.`,
      { current: row.id },
    )
  }
  // start_thread returns the id given above or that of a row it was given to earlier, and a status of the enum.
  return {
    id: row.id as ThreadId,
    workflow: name,
    bundle: row.bundle,
    status: row.status as ThreadStatus,
    created: row.created,
  }
}

/** SHA-256 of everything that makes the thread what it is. */
function inputDigest(input: StartInput): string {
  const { idempotencyKey: _, ...rest } = input
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
  return createHash('sha256').update(canonicalJson(given)).digest('hex')
}

/** Throws LIMIT_EXCEEDED when what a caller gave makes a node of more bytes than a content may have. */
function refuseAbove(field: 'prompt' | 'input', actual: number): void {
  const max = BOUNDS.contentBytes.default
  if (actual <= max) return
  const message = `The ${field} makes a node of ${actual} bytes, more than contentBytes allows (${max}). Store what is large with cas.put and name its hash.`
  throw new AppError('LIMIT_EXCEEDED', message, { limit: 'contentBytes', max, actual })
}
