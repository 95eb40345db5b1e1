import type { Queryable } from '@/db/client'
import { forkThreadRow } from '@/db/queries/threads/fork-thread'
import { readThread, type ThreadRow } from '@/db/queries/threads/read-thread'
import type { Json, JsonObject } from '@/sdk/types'
import type { Actor } from '@/server/access/actor'
import { AppError } from '@/server/kernel/errors'
import { FORK_MARKER, type Hash, newThreadId, type ThreadId } from '@/server/kernel/ids'
import { type ResolvedBundle, resolveBundle } from '@/server/registry/resolve'
import { buildNext, linkedContent, loadTop, topAfter } from './chain-top'
import { type ForkPoint, findForkPlace } from './fork-place'
import { type ForkStart, forkStart } from './fork-start'
import { injectedStep, type StepOverride } from './injected-step'
import { limitsWith } from './limits'
import { threadNotFound } from './not-found'
import { excerptOf, settingsOf } from './start'
import type { ThreadStatus } from './status'

export type ForkOverrides = {
  prompt?: string | undefined
  input?: Json | undefined
  /** Another version: the name of the same workflow for its current one, or `name@hash`. */
  workflow?: string | undefined
  maxRounds?: number | undefined
  /** A step after the shared ones, as if its role had returned it. */
  step?: StepOverride | undefined
}

export type ForkInput = {
  id: string
  /** Without it all steps but the last are shared. */
  at?: ForkPoint | undefined
  overrides?: ForkOverrides | undefined
  /** Instead of those of the source. */
  tags?: string[] | undefined
  reason?: string | undefined
}

export type Forked = { id: ThreadId; status: ThreadStatus; head: Hash; sharedSteps: number }

/**
 * Starts a thread that shares the history of another one up to a step, and goes on by itself: one marker, one row, and what is
 * overridden. The source may be in any state, and is not changed. A fork of a child is nobody's child. Throws NOT_FOUND, BAD_INPUT
 * for a place that the source does not have, CONFLICT for a workflow that was removed, LIMIT_EXCEEDED when its queue is full.
 */
export async function forkThread(
  db: Queryable,
  { id, at, overrides = {}, tags, reason }: ForkInput,
  actor: Pick<Actor, 'name' | 'origin'>,
): Promise<Forked> {
  const source = await readThread(db, id)
  if (source === null) throw threadNotFound(id)
  const workflow = await workflowOf(db, source, overrides.workflow)
  const bundle = overrides.workflow === undefined ? source.bundle : workflow.hash
  const place = await findForkPlace(db, source, at)
  const start = await forkStart(db, source, { bundle, ...overrides })
  const below = await loadTop(db, place.hash ?? source.start, source.start)
  const meta = { sourceThread: id, at: place.hash, overrides: overridden(overrides, start, actor.name) }
  const content = linkedContent(reason ?? '')
  const marker = buildNext(
    { ...below, start: start.link },
    { role: FORK_MARKER, meta, content, childThread: null, now: below.now },
  )
  const injected =
    overrides.step === undefined
      ? null
      : await injectedStep(
          db,
          bundle,
          await topAfter(db, place.hash ?? source.start, source.start, start.link, marker),
          overrides.step,
        )
  const settings = settingsOf(source.workflow, workflow.limits)
  const fork = newThreadId()
  const refused = await forkThreadRow(db, {
    id: fork,
    source: id,
    marker: { ...marker, role: FORK_MARKER, start: start.link.hash, content },
    injected,
    forkedAt: place.hash,
    workflow: source.workflow,
    bundle,
    start: { hash: start.link.hash, depth: source.depth, stored: start.stored },
    parentState: start.parentState,
    prompt: start.prompt,
    steps: place.step + (injected === null ? 0 : 1),
    priority: source.priority,
    maxRounds: overrides.maxRounds ?? source.maxRounds,
    tags: tags ?? source.tags,
    labels: source.labels,
    permissions: overrides.workflow === undefined ? source.permissions : workflow.permissions,
    actor: actor.name,
    origin: actor.origin,
    excerpt: overrides.prompt === undefined ? source.excerpt : excerptOf(overrides.prompt),
    reason: reason ?? null,
    concurrency: settings.concurrency ?? null,
    queueDepth: limitsWith(settings).queueDepth,
    overflow: settings.overflow ?? 'queue',
  })
  if (refused === null) throw threadNotFound(id)
  if (refused !== '') throw full(refused, limitsWith(settings).queueDepth)
  return { id: fork, status: 'queued', head: injected?.hash ?? marker.hash, sharedSteps: place.step }
}

/** The workflow of the source, which must be there to be run, at its current version or the one that is asked for. */
async function workflowOf(db: Queryable, source: ThreadRow, reference: string | undefined): Promise<ResolvedBundle> {
  const workflow = await resolveBundle(db, reference ?? source.workflow)
  if (workflow.name === source.workflow) return workflow
  const message = `Thread ${source.id} is of the workflow ${source.workflow}: a fork may run another version of it, and not ${workflow.name}.`
  throw new AppError('BAD_INPUT', message, { field: 'overrides.workflow' })
}

/** What the marker says of the overrides: the values are in the start node and in the step after the marker. */
function overridden(
  { prompt, input, workflow, maxRounds, step }: ForkOverrides,
  start: ForkStart,
  author: string,
): JsonObject {
  return {
    ...(prompt === undefined ? {} : { prompt: start.prompt.hash }),
    ...(input === undefined ? {} : { input: true }),
    ...(workflow === undefined ? {} : { workflow }),
    ...(maxRounds === undefined ? {} : { maxRounds }),
    ...(step === undefined ? {} : { step: { role: step.role, author } }),
  }
}

function full(why: string, max: number): AppError<'LIMIT_EXCEEDED'> {
  const message = `The fork was ${why}. Try again when there are fewer, or raise the bound.`
  return new AppError('LIMIT_EXCEEDED', message, { limit: 'queueDepth', max })
}
