import { createHash } from 'node:crypto'
import type { Queryable } from '@/db/client'
import { plainText } from '@/db/queries/threads/append-steps'
import { findDigests } from '@/db/queries/threads/find-object'
import { startThreadRow } from '@/db/queries/threads/start-thread'
import type { Json } from '@/sdk/types'
import type { Actor } from '@/server/access/actor'
import { canonicalJson } from '@/server/cas/canonical'
import { digestOf, initHash } from '@/server/cas/hash'
import { contentNode, startNode } from '@/server/cas/nodes'
import { AppError, LeaseLost } from '@/server/kernel/errors'
import { type Hash, newThreadId, type ThreadId } from '@/server/kernel/ids'
import { log } from '@/server/kernel/log'
import { resolveBundle } from '@/server/registry/resolve'
import { BOUNDS, limitsWith, type WorkflowLimits, workflowLimitsSchema } from './limits'
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
  /** Only runners that have all of these labels, and those of the workflow's settings, take it. */
  labels?: string[] | undefined
  /** Higher is claimed first; the default is that of the workflow's settings, and else 0. */
  priority?: number | undefined
}

/** For a child: the thread that starts it, held by a runner under `token`, at its head `state`. */
export type Parent = { thread: string; token: number; state: string; depth: number }

export type StartedThread = {
  id: ThreadId
  workflow: string
  bundle: string
  status: ThreadStatus
  created: boolean
  /** Why it was dropped, when it was. */
  why: string | null
}

const EXCERPT_CHARACTERS = 200
/** How the idempotency key of a child begins. */
export const CHILD_KEY = 'cairn:child:'

/**
 * Starts a thread: readable by everyone and claimable when this resolves. The same idempotency key with the same input
 * gives the thread that it started the first time; with another input, CONFLICT. Above the bounds of its workflow the thread is
 * `dropped`: recorded, with the reason, and never run. Throws LeaseLost when the parent may start nothing any more, and
 * LIMIT_EXCEEDED at the bound maxDepth.
 */
export async function startThread(
  db: Queryable,
  input: StartInput,
  actor: { name: string; origin: Actor['origin'] | 'thread' },
  parent: Parent | null = null,
): Promise<StartedThread> {
  await initHash()
  const { name, hash: bundle, permissions, ...workflow } = await resolveBundle(db, input.workflow)
  const settings = settingsOf(name, workflow.limits)
  const depth = parent === null ? 0 : parent.depth + 1
  const limits = limitsWith(settings)
  refuseBelow(depth, limits.maxDepth)
  if (parent === null) refuseChildKey(input.idempotencyKey)
  refuseRounds(input.maxRounds, settings.maxRounds)
  const prompt = contentNode(input.prompt, [])
  refuseAbove('prompt', prompt.size, limits.contentBytes)
  const promptDigest = digestOf(prompt.body, [])
  const start = startNode({
    name,
    bundle,
    depth,
    // A head is a hash that the engine wrote.
    parentState: parent === null ? null : (parent.state as Hash),
    prompt: prompt.hash,
    maxRounds: input.maxRounds,
    input: input.input,
  })
  refuseAbove('input', start.size, limits.contentBytes)
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
      digest: digestOf(start.body, [promptDigest, ...(await parentDigest(db, parent))]).toString('hex'),
    },
    depth,
    parentState: parent?.state ?? null,
    priority: input.priority ?? settings.priority ?? 0,
    maxRounds: input.maxRounds ?? null,
    deadlineSeconds: input.deadlineSeconds ?? null,
    dryRun: input.dryRun ?? false,
    tags: input.tags ?? [],
    actor: actor.name,
    origin: actor.origin,
    idempotencyKey: input.idempotencyKey ?? null,
    idempotencyDigest,
    excerpt: excerptOf(input.prompt),
    parent,
    labels: [...new Set([...(settings.labels ?? []), ...(input.labels ?? [])])],
    permissions,
    concurrency: settings.concurrency ?? null,
    queueDepth: limits.queueDepth,
    overflow: settings.overflow ?? 'queue',
  })
  if (row === undefined) throw new LeaseLost(parent?.thread ?? '')
  // A child is known by its place: a role that runs again may ask in other words.
  if (parent === null && !row.created && row.digest !== idempotencyDigest) {
    throw new AppError(
      'CONFLICT',
      `The idempotency key ${input.idempotencyKey} was used for thread ${row.id} with another input. Use a new key for a new thread.`,
      { current: row.id },
    )
  }
  // start_thread returns the id given above or that of a row it was given to earlier, and a status of the enum, or `removed` for a
  // child that was.
  return {
    id: row.id as ThreadId,
    workflow: name,
    bundle: row.bundle,
    status: row.status as ThreadStatus,
    created: row.created,
    why: row.why,
  }
}

/** A workflow's settings; what this version cannot read is told and left out, so that the defaults hold. */
export function settingsOf(workflow: string, stored: unknown): WorkflowLimits {
  const settings = workflowLimitsSchema.safeParse(stored)
  if (settings.success) return settings.data
  log.error({ workflow, problem: settings.error.message }, 'the limits of a workflow cannot be read')
  return {}
}

/** A start may ask for fewer rounds than its workflow's setting allows, never for more. */
function refuseRounds(asked: number | undefined, max: number | undefined): void {
  if (asked === undefined || max === undefined || asked <= max) return
  const message = `The workflow is set to at most ${max} steps (maxRounds), and ${asked} were asked for. Ask for fewer, or raise its limit.`
  throw new AppError('LIMIT_EXCEEDED', message, { limit: 'maxRounds', max, actual: asked })
}

/** By such a key a role that runs again finds the child that it started. Nobody else may put a thread there. */
function refuseChildKey(key: string | undefined): void {
  if (!key?.startsWith(CHILD_KEY)) return
  const message = `Idempotency keys that begin with ${CHILD_KEY} are those of child threads: choose another one.`
  throw new AppError('BAD_INPUT', message, { field: 'idempotencyKey' })
}

function refuseBelow(depth: number, max: number): void {
  if (depth <= max) return
  const message = `A thread of depth ${depth} is deeper than maxDepth allows (${max}). Let a thread higher up do it, or raise the bound of its workflow.`
  throw new AppError('LIMIT_EXCEEDED', message, { limit: 'maxDepth', max, actual: depth })
}

async function parentDigest(db: Queryable, parent: Parent | null): Promise<Buffer[]> {
  if (parent === null) return []
  const digest = (await findDigests(db, [parent.state])).get(parent.state)
  if (digest === undefined) throw new LeaseLost(parent.thread)
  return [digest]
}

/** The first characters of a prompt, for lists. */
export function excerptOf(prompt: string): string {
  return plainText([...prompt.slice(0, EXCERPT_CHARACTERS * 2)].slice(0, EXCERPT_CHARACTERS).join(''))
}

/** SHA-256 of everything that makes the thread what it is. */
function inputDigest(input: StartInput): string {
  const { idempotencyKey: _, ...rest } = input
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
  return createHash('sha256').update(canonicalJson(given)).digest('hex')
}

/** Throws LIMIT_EXCEEDED when what a caller gave makes a node of more bytes than a content may have. */
export function refuseAbove(field: string, actual: number, max: number = BOUNDS.contentBytes.default): void {
  if (actual <= max) return
  const message = `The ${field} makes a node of ${actual} bytes, more than contentBytes allows (${max}). Store what is large with cas.put and name its hash.`
  throw new AppError('LIMIT_EXCEEDED', message, { limit: 'contentBytes', max, actual })
}
