import { sql } from 'drizzle-orm'
import { bigint, bigserial, boolean, index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'
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

/**
 * What the collection under way is going to delete: everything below an object is kept or stands here too. Written and read by
 * the collector only; a dry run has a temporary table of this name. Unlogged, as `gc_rescues` is: a crash of the server empties
 * both, and then nothing more is deleted.
 */
export const gcCondemned = pgTable(
  'gc_condemned',
  {
    hash: hash('hash').primaryKey(),
    /** Deleted from the highest to the lowest, equal ones together; never lower than the rank of anything it refers to. */
    rank: bigint('rank', { mode: 'number' }).notNull(),
    /** Refs that may have to be deleted later than it: those to contents without refs are left out. */
    below: text('below').array().notNull().default(sql`'{}'::text[]`),
    /** Bytes. */
    size: integer('size').notNull(),
  },
  (t) => [index('gc_condemned_order').on(t.rank)],
)

/**
 * Old objects that somebody referred to while a collection was under way: kept, with everything below them. The same one may be
 * in it more than once, so that writers never wait for each other here. Emptied by the collector.
 */
export const gcRescues = pgTable('gc_rescues', { hash: hash('hash').notNull() })
