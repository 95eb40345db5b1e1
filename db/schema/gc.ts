import { bigint, bigserial, boolean, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'
import { appNow, createdAt, hash } from './columns'

/** What a person keeps from garbage collection, with everything below it. */
export const pins = pgTable(
  'pins',
  { hash: hash('hash').notNull(), owner: text('owner').notNull(), note: text('note'), createdAt: createdAt() },
  (t) => [primaryKey({ columns: [t.hash, t.owner] })],
)

/** One row a collection. The newest unfinished one is gone on with after a crash. */
export const gcRuns = pgTable('gc_runs', {
  id: bigserial('id', { mode: 'number' }).primaryKey(),
  phase: text('phase', { enum: ['marking', 'sweeping', 'done', 'abandoned'] }).notNull(),
  dryRun: boolean('dry_run').notNull(),
  /** Only what was last touched before this may go. */
  cutoff: timestamp('cutoff', { withTimezone: true }).notNull(),
  actor: text('actor').notNull(),
  marked: bigint('marked', { mode: 'number' }).notNull().default(0),
  /** What went, or in a dry run would go. */
  objects: bigint('objects', { mode: 'number' }).notNull().default(0),
  bytes: bigint('bytes', { mode: 'number' }).notNull().default(0),
  startedAt: timestamp('started_at', { withTimezone: true }).notNull().default(appNow),
  finishedAt: timestamp('finished_at', { withTimezone: true }),
})

/** What the collection under way has found to be reachable. */
export const gcMarks = pgTable('gc_marks', { hash: hash('hash').primaryKey() })

/** Old objects that somebody referred to again: reachable, whatever the marks say. */
export const gcRescues = pgTable('gc_rescues', { hash: hash('hash').primaryKey() })
