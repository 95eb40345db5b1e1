import { sql } from 'drizzle-orm'
import {
  bigint,
  bigserial,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import { THREAD_EVENT_TYPES, THREAD_STATUSES } from '../../server/threads/status'
import { appNow, createdAt, hash } from './columns'

/**
 * One row a thread: its head and status. Written by `thread.start`, the claim, the append and the control commands; every
 * write by a runner is guarded by `lease_token`. A projection of nodes and events.
 *
 * Each append updates the row, so no column that an append touches (`head`, `height`, `steps`, `crashes`, `updated_at`)
 * may be in an index: that keeps the update heap-only.
 */
export const threads = pgTable(
  'threads',
  {
    id: text('id').primaryKey(),
    workflow: text('workflow').notNull(),
    bundle: hash('bundle').notNull(),
    status: text('status', { enum: THREAD_STATUSES }).notNull(),
    /** What somebody asked of a running thread and its runner has not done yet. */
    control: text('control', { enum: ['pause', 'kill'] }),
    /** Who asked for `control`, and why. */
    controlActor: text('control_actor'),
    controlReason: text('control_reason'),
    start: hash('start').notNull(),
    /** Equal to `start` until the first node is appended. */
    head: hash('head').notNull(),
    /** Height of `head`; 0 at the start node. */
    height: integer('height').notNull().default(0),
    /** Height of `head` without markers and the end node. */
    steps: integer('steps').notNull().default(0),
    priority: integer('priority').notNull().default(0),
    /** A queued thread is not claimed before this. */
    availableAt: timestamp('available_at', { withTimezone: true }).notNull().default(appNow),
    /** Claims so far. */
    attempt: integer('attempt').notNull().default(0),
    /** Crashes since the last appended node. */
    crashes: integer('crashes').notNull().default(0),
    /** Fencing token: grows with every claim, release and end. */
    leaseToken: bigint('lease_token', { mode: 'number' }).notNull().default(0),
    leaseExpiresAt: timestamp('lease_expires_at', { withTimezone: true }),
    runner: text('runner'),
    depth: integer('depth').notNull().default(0),
    parentThread: text('parent_thread'),
    sourceThread: text('source_thread'),
    /** Node of the source thread that a fork goes on from; null when it goes on from the start node. */
    forkedAt: hash('forked_at'),
    maxRounds: integer('max_rounds'),
    /** The thread ends with 124 when it is not done by then. */
    deadlineAt: timestamp('deadline_at', { withTimezone: true }),
    dryRun: boolean('dry_run').notNull().default(false),
    tags: text('tags').array().notNull().default(sql`'{}'::text[]`),
    /** A runner claims it only when it has all of these labels, and may give all of these permissions, like exec:git. */
    labels: text('labels').array().notNull().default(sql`'{}'::text[]`),
    permissions: text('permissions').array().notNull().default(sql`'{}'::text[]`),
    actor: text('actor').notNull(),
    origin: text('origin', { enum: ['web', 'cli', 'api', 'thread', 'sense'] }).notNull(),
    idempotencyKey: text('idempotency_key'),
    /** SHA-256 (hex) of the input that came with the key: the same key with another input is a conflict. */
    idempotencyDigest: text('idempotency_digest'),
    /** First characters of the prompt, for lists. */
    excerpt: text('excerpt').notNull(),
    returnCode: integer('return_code'),
    summary: text('summary'),
    /** `seq` of the newest row of this thread in `thread_events`. */
    eventSeq: integer('event_seq').notNull().default(0),
    /** `seq` of the newest row of this thread in `thread_logs`. */
    logSeq: integer('log_seq').notNull().default(0),
    /** Bytes of log text stored of it, with what each line counts for beside its text: bounded by logBytes. */
    logBytes: bigint('log_bytes', { mode: 'number' }).notNull().default(0),
    /** Milliseconds spent paused and waiting, which the bound threadSeconds does not count; `idleSince`: since when it is. */
    idleMs: bigint('idle_ms', { mode: 'number' }).notNull().default(0),
    idleSince: timestamp('idle_since', { withTimezone: true }),
    createdAt: createdAt(),
    startedAt: timestamp('started_at', { withTimezone: true }),
    finishedAt: timestamp('finished_at', { withTimezone: true }),
    updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().default(appNow),
  },
  (t) => [
    // The claim: highest priority, then oldest.
    index('threads_queued').on(t.priority.desc().nullsFirst(), t.id).where(sql`${t.status} = 'queued'`),
    // The sweep of expired leases and the runners page; holds only what runs now.
    index('threads_running').on(t.id).where(sql`${t.status} = 'running'`),
    // The list by workflow, by status and by actor, newest first: read backwards, as the primary key is for the list of all.
    // (An index with `id.desc()` would be NULLS LAST, which does not serve `order by id desc`.)
    index('threads_by_workflow').on(t.workflow, t.status, t.id),
    index('threads_by_status').on(t.status, t.id),
    index('threads_by_actor').on(t.actor, t.id),
    // The list by tag and by a part of the excerpt. Neither column changes; measured, the two cost a thread 0.2 ms in all.
    index('threads_by_tag').using('gin', t.tags),
    index('threads_by_text').using('gin', t.excerpt.op('gin_trgm_ops')),
    // `workflow.show`: threads by version.
    index('threads_by_bundle').on(t.bundle, t.id),
    // `verify`: which threads begin at a damaged start node.
    index('threads_by_start').on(t.start),
    uniqueIndex('threads_idempotency').on(t.idempotencyKey),
    // Children of a thread, forks of a thread: the call stack and the lineage, both downwards.
    index('threads_by_parent').on(t.parentThread, t.id).where(sql`${t.parentThread} is not null`),
    index('threads_by_source').on(t.sourceThread, t.id).where(sql`${t.sourceThread} is not null`),
    // What is asked of a runner's threads; holds only commands that are not done yet.
    index('threads_control').on(t.runner).where(sql`${t.control} is not null`),
    // Deadlines of threads that no runner holds; a running one has a timer.
    index('threads_deadline')
      .on(t.deadlineAt)
      .where(sql`${t.deadlineAt} is not null and ${t.status} in ('queued', 'paused', 'waiting')`),
  ],
)

/** Lifecycle of a thread; a step is its own event (its node). Append-only. Grows by a few rows a thread and attempt. */
export const threadEvents = pgTable(
  'thread_events',
  {
    thread: text('thread').notNull(),
    /** 1, 2, 3 … in this thread; taken from `threads.event_seq` under the row's lock, so commit order is `seq` order. */
    seq: integer('seq').notNull(),
    type: text('type', { enum: THREAD_EVENT_TYPES }).notNull(),
    /** Status after the event. */
    status: text('status', { enum: THREAD_STATUSES }).notNull(),
    /** Height of the head at the event: places it among the steps. */
    height: integer('height').notNull(),
    /** Head at the event: with the nodes, all that is needed to rebuild the thread's row. */
    head: hash('head'),
    actor: text('actor').notNull(),
    reason: text('reason'),
    data: jsonb('data').notNull().default({}),
    at: timestamp('at', { withTimezone: true }).notNull().default(appNow),
  },
  (t) => [primaryKey({ columns: [t.thread, t.seq] })],
)

/** What `runtime.log` and a worker's stderr said. Written in batches by the runner; capped a thread. */
export const threadLogs = pgTable(
  'thread_logs',
  {
    thread: text('thread').notNull(),
    /** 1, 2, 3 … in this thread; taken from `threads.log_seq` under the row's lock. */
    seq: integer('seq').notNull(),
    height: integer('height').notNull(),
    level: text('level', { enum: ['debug', 'info', 'warn', 'error'] }).notNull(),
    tag: text('tag'),
    text: text('text').notNull(),
    at: timestamp('at', { withTimezone: true }).notNull().default(appNow),
  },
  (t) => [primaryKey({ columns: [t.thread, t.seq] })],
)

/**
 * Work that one change of a thread leaves for another thread, so that no statement holds locks of both: `wake` (look at its
 * wait again), `kill` (end it, because its parent has ended), done by whichever runner comes first. Doing one twice changes nothing.
 */
export const threadTasks = pgTable(
  'thread_tasks',
  {
    seq: bigserial('seq', { mode: 'number' }).primaryKey(),
    kind: text('kind', { enum: ['wake', 'kill'] }).notNull(),
    thread: text('thread').notNull(),
    actor: text('actor').notNull(),
    reason: text('reason').notNull(),
    at: timestamp('at', { withTimezone: true }).notNull().default(appNow),
  },
  (t) => [index('thread_tasks_of').on(t.kind, t.thread)],
)

/**
 * Children that were removed: the role that started one must not start it again when it runs once more. Written by remove, read by
 * the start of a child. Grows by one row a removed child.
 */
export const removedChildren = pgTable('removed_children', {
  /** Of the removed row: which call of which role started it. */
  idempotencyKey: text('idempotency_key').primaryKey(),
  thread: text('thread').notNull(),
})
