import { sql } from 'drizzle-orm'
import { bigserial, boolean, index, integer, pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core'
import { appNow, hash } from './columns'

/** One row a runner process. Written by the runner itself; a row whose `heartbeat_at` is old is a dead runner. */
export const runners = pgTable('runners', {
  id: text('id').primaryKey(),
  host: text('host').notNull(),
  pid: integer('pid').notNull(),
  version: text('version').notNull(),
  nodeVersion: text('node_version').notNull(),
  /** Threads it holds at once, at most. */
  capacity: integer('capacity').notNull(),
  active: integer('active').notNull().default(0),
  labels: text('labels').array().notNull().default(sql`'{}'::text[]`),
  /** Layers of the worker sandbox that are active, like `node-permissions`. */
  sandbox: text('sandbox').array().notNull().default(sql`'{}'::text[]`),
  startedAt: timestamp('started_at', { withTimezone: true }).notNull().default(appNow),
  heartbeatAt: timestamp('heartbeat_at', { withTimezone: true }).notNull().default(appNow),
  /** Permissions that it may give, like exec:git; null means all. */
  permissions: text('permissions').array(),
  /** Asked to claim nothing more; what it holds goes on to its end. */
  draining: boolean('draining').notNull().default(false),
  drainedBy: text('drained_by'),
  stoppedAt: timestamp('stopped_at', { withTimezone: true }),
  /** Writes refused because the lease was lost: shows that fencing works. */
  staleWrites: integer('stale_writes').notNull().default(0),
})

/** One row a crash of a worker, by the bundle that it ran. Written with the event of the thread; rows older than an hour leave. */
export const bundleCrashes = pgTable(
  'bundle_crashes',
  {
    seq: bigserial('seq', { mode: 'number' }).primaryKey(),
    bundle: hash('bundle').notNull(),
    thread: text('thread').notNull(),
    /** Which worker it was: the threads that were in it crashed once, together. */
    worker: text('worker').notNull(),
    reason: text('reason').notNull(),
    at: timestamp('at', { withTimezone: true }).notNull().default(appNow),
  },
  // How many in the last minute.
  (t) => [
    index('bundle_crashes_recent').on(t.bundle, t.at),
    uniqueIndex('bundle_crashes_worker').on(t.bundle, t.worker),
  ],
)

/** Bundles that crashed too often to be claimed any more, until somebody lifts it. A row with `lifted_at` is over. */
export const quarantines = pgTable('quarantines', {
  bundle: hash('bundle').primaryKey(),
  reason: text('reason').notNull(),
  crashes: integer('crashes').notNull(),
  at: timestamp('at', { withTimezone: true }).notNull().default(appNow),
  liftedAt: timestamp('lifted_at', { withTimezone: true }),
  liftedBy: text('lifted_by'),
  note: text('note'),
})
