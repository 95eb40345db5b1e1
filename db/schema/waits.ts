import { sql } from 'drizzle-orm'
import { index, integer, json, jsonb, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'
import { appNow, hash } from './columns'

/**
 * What a thread waits for, or waited for. Written by the runner when a role waits, answered in the transaction that makes the
 * condition true. A thread has at most one open wait. Grows by one row a wait; removed with the thread.
 */
export const waits = pgTable(
  'waits',
  {
    thread: text('thread').notNull(),
    /** `<head>.<n>`: the n-th wait of the role that runs after this head. Equal on every re-run of the role. */
    key: text('key').notNull(),
    kind: text('kind', { enum: ['input', 'until', 'threads'] }).notNull(),
    /** open → answered, timed_out, or cancelled: the thread ended, or its role ran again and waits for something else. */
    status: text('status', { enum: ['open', 'answered', 'timed_out', 'cancelled'] })
      .notNull()
      .default('open'),
    /** Which answers fit: an input is given to a name. */
    name: text('name').notNull().default('input'),
    /** What the person is asked. */
    prompt: text('prompt'),
    /** JSON Schema of the answer. */
    schema: json('schema'),
    /** Hash of what is approved: an answer that names another one does not fit. */
    subject: hash('subject'),
    /** Who may answer: `{role?, names?}`; null means everybody who may operate threads. */
    answerers: jsonb('answerers'),
    /** For `until`, the time; for the others, when the wait times out. */
    wakeAt: timestamp('wake_at', { withTimezone: true }),
    /** For `threads`: their ids, and whether all must end, any, or the first that succeeds. */
    targets: text('targets').array().notNull().default(sql`'{}'::text[]`),
    mode: text('mode', { enum: ['all', 'any', 'success'] })
      .notNull()
      .default('all'),
    /** `input`: the value. `threads`: what `ThreadOutcome` says of each target that had ended then. */
    answer: json('answer'),
    answeredBy: text('answered_by'),
    answeredAt: timestamp('answered_at', { withTimezone: true }),
    createdAt: timestamp('created_at', { withTimezone: true }).notNull().default(appNow),
  },
  (t) => [
    primaryKey({ columns: [t.thread, t.key] }),
    // Timers that are due; who waits for a thread that ended. Both hold only what is open.
    index('waits_due').on(t.wakeAt).where(sql`${t.status} = 'open' and ${t.wakeAt} is not null`),
    index('waits_targets').using('gin', t.targets).where(sql`${t.status} = 'open' and ${t.kind} = 'threads'`),
  ],
)

/** Every input that anybody gave to a thread, also one that came before the thread waited for it or after it stopped to. */
export const threadInputs = pgTable(
  'thread_inputs',
  {
    thread: text('thread').notNull(),
    /** 1, 2, 3 … in this thread, given under its row's lock. */
    seq: integer('seq').notNull(),
    name: text('name').notNull(),
    value: json('value'),
    subject: hash('subject'),
    actor: text('actor').notNull(),
    /** Role of the actor then: a wait that is written later checks who may answer it. */
    actorRole: text('actor_role').notNull(),
    /** Wait that it answered; null while it is kept for one that has not come yet. */
    wait: text('wait'),
    /** Why the wait that it was kept for refused it. */
    rejected: text('rejected'),
    at: timestamp('at', { withTimezone: true }).notNull().default(appNow),
  },
  (t) => [primaryKey({ columns: [t.thread, t.seq] })],
)
