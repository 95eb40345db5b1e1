import { z } from 'zod'
import type { EventRow } from '@/db/queries/ops/rebuild/read-evidence'
import { isFinished, type ThreadStatus } from '@/server/threads/status'

/** What the first event of a thread says, beside what its start node does. */
const beginningSchema = z.object({
  start: z.string(),
  origin: z.enum(['web', 'cli', 'api', 'thread', 'sense']),
  priority: z.number(),
  deadlineAt: z.string().nullable().default(null),
  maxRounds: z.number().nullable().default(null),
  dryRun: z.boolean(),
  tags: z.array(z.string()),
  labels: z.array(z.string()),
  permissions: z.array(z.string()),
  parentThread: z.string().nullable().default(null),
  sourceThread: z.string().nullable().default(null),
  forkedAt: z.string().nullable().default(null),
  idempotencyKey: z.string().nullable().default(null),
  idempotencyDigest: z.string().nullable().default(null),
  excerpt: z.string(),
})

const retrySchema = z.object({ deadlineAt: z.string().nullable().default(null) })

/** A thread as its events leave it; head and steps of a running one may have moved on since. */
export type Told = {
  begun: z.infer<typeof beginningSchema>
  actor: string
  createdAt: Date
  status: ThreadStatus
  removed: boolean
  /** Null in events that were written before events named it. */
  head: string | null
  height: number
  attempt: number
  /** Crashes since the last step, and the height that the head had at the last of them. */
  crashes: number
  crashedAtHeight: number
  runner: string | null
  control: 'pause' | 'kill' | null
  controlActor: string | null
  controlReason: string | null
  summary: string | null
  deadlineAt: Date | null
  idleMs: number
  idleSince: Date | null
  availableAt: Date
  startedAt: Date | null
  finishedAt: Date | null
  updatedAt: Date
  eventSeq: number
}

/** Folds the events of one thread, in their order. A sentence says why it cannot. Pure. */
export function foldEvents(events: readonly EventRow[]): Told | { why: string } {
  const [first, ...later] = events
  if (first === undefined) return { why: 'It has no event.' }
  const gap = events.findIndex((event, index) => event.seq !== index + 1)
  if (gap >= 0) return { why: `Its event ${gap + 1} is missing.` }
  const begun = beginningSchema.safeParse(first.data)
  if (!begun.success)
    return { why: 'Its first event does not say what it was started with: it was written by an earlier version.' }
  const told: Told = {
    begun: begun.data,
    actor: first.actor,
    createdAt: first.at,
    status: first.status,
    removed: false,
    head: first.head,
    height: first.height,
    attempt: 0,
    crashes: 0,
    crashedAtHeight: first.height,
    runner: null,
    control: null,
    controlActor: null,
    controlReason: null,
    summary: first.status === 'dropped' ? first.reason : null,
    deadlineAt: dateOf(begun.data.deadlineAt),
    idleMs: 0,
    idleSince: null,
    availableAt: first.at,
    startedAt: null,
    finishedAt: first.status === 'dropped' ? first.at : null,
    updatedAt: first.at,
    eventSeq: first.seq,
  }
  for (const event of later) apply(told, event)
  return told
}

function apply(told: Told, event: EventRow): void {
  const { type, status, at } = event
  moveHead(told, event)
  told.eventSeq = event.seq
  told.updatedAt = at
  if (type === 'removed') {
    told.removed = true
    return
  }
  countIdle(told, status, at)
  if (type === 'claimed') {
    told.attempt += 1
    told.startedAt ??= at
    told.runner = event.actor
  } else if (type === 'crashed' || type === 'lease_expired') {
    told.crashes += 1
    told.crashedAtHeight = event.height
  } else if (type === 'waiting') {
    told.crashes = 0
  } else if (type === 'pause_requested' || type === 'kill_requested') {
    told.control = type === 'pause_requested' ? 'pause' : 'kill'
    told.controlActor = event.actor
    told.controlReason = event.reason
  } else if (type === 'retried') {
    begin(told, event)
  }
  if (isFinished(status) && !isFinished(told.status)) {
    told.finishedAt = at
    told.summary = event.reason
  }
  if (status !== 'running' || type === 'pause_cancelled') {
    told.control = null
    told.controlActor = null
    told.controlReason = null
  }
  if (status !== 'running') told.runner = null
  if (status === 'queued' && told.status !== 'queued') told.availableAt = at
  told.status = status
}

/** A step takes back the crashes before it; an end node does not, nor a marker. */
function moveHead(told: Told, { type, status, head, height }: EventRow): void {
  const ends = isFinished(status) && !isFinished(told.status)
  if ((ends ? height - 1 : height) > told.crashedAtHeight && type !== 'retried') told.crashes = 0
  told.crashedAtHeight = Math.max(told.crashedAtHeight, height)
  told.head = head
  told.height = height
}

function countIdle(told: Told, status: ThreadStatus, at: Date): void {
  const idle = status === 'paused' || status === 'waiting'
  if (idle) told.idleSince ??= at
  else if (told.idleSince !== null) {
    told.idleMs += at.getTime() - told.idleSince.getTime()
    told.idleSince = null
  }
}

/** A retry is a new beginning, with as much time as at first. */
function begin(told: Told, { data }: EventRow): void {
  const retry = retrySchema.safeParse(data)
  told.deadlineAt = dateOf(retry.success ? retry.data.deadlineAt : null)
  told.startedAt = null
  told.finishedAt = null
  told.summary = null
  told.idleMs = 0
  told.crashes = 0
}

function dateOf(text: string | null): Date | null {
  return text === null ? null : new Date(text)
}
