import { z } from 'zod'
import type { HeadFacts, LogFacts, StartFacts, ThreadRow } from '@/db/queries/ops/rebuild/read-evidence'
import { isFinished } from '@/server/threads/status'
import type { Told } from './fold-events'

/** All of a thread's row that follows from nodes and events. The rest are the lease, and times that only order work. */
export type RebuiltRow = Omit<ThreadRow, 'leaseToken' | 'leaseExpiresAt'>

/** The row of a thread: what its events told, what its start node and the chain below its head say. A sentence says why it cannot be. Pure. */
export function rebuiltRow(
  id: string,
  told: Told,
  evidence: { start: StartFacts | undefined; head: HeadFacts | 'start' | undefined; log: LogFacts },
): RebuiltRow | { why: string } {
  const { start, head, log } = evidence
  const { begun } = told
  if (start === undefined) return { why: `Its start node ${begun.start} is not stored.` }
  if (head === undefined) return { why: `Its head ${told.head} is not stored.` }
  if (head !== 'start' && !head.whole) return { why: `The chain below its head ${head.hash} is broken: verify it.` }
  const height = head === 'start' ? 0 : head.height
  const returnCode = head === 'start' || !isFinished(told.status) ? null : returnCodeOf(head)
  return {
    id,
    workflow: start.name,
    bundle: start.bundle,
    status: told.status,
    control: told.control,
    controlActor: told.controlActor,
    controlReason: told.controlReason,
    start: begun.start,
    head: head === 'start' ? begun.start : head.hash,
    height,
    steps: head === 'start' ? 0 : head.steps,
    priority: begun.priority,
    availableAt: told.availableAt,
    attempt: told.attempt,
    // A running thread that has moved on since its last event has taken a step.
    crashes: height > told.height ? 0 : told.crashes,
    runner: told.runner,
    depth: start.depth,
    parentThread: begun.parentThread,
    sourceThread: begun.sourceThread,
    forkedAt: begun.forkedAt,
    maxRounds: begun.maxRounds,
    deadlineAt: told.deadlineAt,
    dryRun: begun.dryRun,
    tags: begun.tags,
    labels: begun.labels,
    permissions: begun.permissions,
    actor: told.actor,
    origin: begun.origin,
    idempotencyKey: begun.idempotencyKey,
    idempotencyDigest: begun.idempotencyDigest,
    excerpt: begun.excerpt,
    returnCode,
    summary: told.summary,
    eventSeq: told.eventSeq,
    logSeq: log.lines,
    logBytes: log.bytes,
    idleMs: told.idleMs,
    idleSince: told.idleSince,
    createdAt: told.createdAt,
    startedAt: told.startedAt,
    finishedAt: told.finishedAt,
    updatedAt: told.updatedAt,
  }
}

const endSchema = z.object({ payload: z.object({ meta: z.object({ returnCode: z.int() }) }) })

function returnCodeOf({ body }: HeadFacts): number | null {
  try {
    return endSchema.parse(JSON.parse(body)).payload.meta.returnCode
  } catch {
    return null
  }
}

export type Difference = { id: string; column: string; stored: string | null; rebuilt: string | null }

/** Not compared: `updated_at` moves with every step, `available_at` holds a crashed thread back, and neither is told. */
const UNTOLD: ReadonlySet<string> = new Set(['updatedAt', 'availableAt'])
/** An event is written in the transaction of its change, a moment after it; times and durations may differ by that. */
const MOMENT_MS = 5_000

/** The columns in which a stored row is not the rebuilt one; a row that is missing, or should not be, is the column `id`. Pure. */
export function differences(id: string, stored: ThreadRow | null, rebuilt: RebuiltRow | null): Difference[] {
  if (stored === null || rebuilt === null) {
    if (stored === null && rebuilt === null) return []
    return [{ id, column: 'id', stored: stored && id, rebuilt: rebuilt && id }]
  }
  const before: Record<string, unknown> = stored
  return Object.entries(rebuilt).flatMap(([column, value]) => {
    if (UNTOLD.has(column) || same(column, before[column], value)) return []
    return [{ id, column: snakeCase(column), stored: shown(before[column]), rebuilt: shown(value) }]
  })
}

function same(column: string, a: unknown, b: unknown): boolean {
  if (a instanceof Date && b instanceof Date) return Math.abs(a.getTime() - b.getTime()) <= MOMENT_MS
  if (column === 'idleMs' && typeof a === 'number' && typeof b === 'number') return Math.abs(a - b) <= MOMENT_MS
  return JSON.stringify(a) === JSON.stringify(b)
}

function shown(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
