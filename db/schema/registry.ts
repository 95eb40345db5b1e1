import { bigint, bigserial, index, integer, json, jsonb, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import { appNow, bytea, createdAt, hash } from './columns'

/** Every bundle ever registered, by the hash of its bytes. Written by `workflow.add`; read by runners and the pages. */
export const bundles = pgTable('bundles', {
  hash: hash('hash').primaryKey(),
  source: text('source').notNull(),
  digest: bytea('digest').notNull(),
  /** As the author wrote it: jsonb would sort its keys, and forms and lists of roles follow their order. */
  descriptor: json('descriptor').notNull(),
  /** The `.d.ts` that came beside the bundle. */
  types: text('types'),
  size: integer('size').notNull(),
  createdAt: createdAt(),
})

/** What is current, a projection of `registry_events`. Written in the same transaction as the event. */
export const workflows = pgTable('workflows', {
  name: text('name').primaryKey(),
  /** Hash of the current bundle. */
  current: hash('current').notNull(),
  state: text('state', { enum: ['active', 'removed'] })
    .notNull()
    .default('active'),
  /** `seq` of the newest event: writers compare and set on it. */
  version: bigint('version', { mode: 'number' }).notNull(),
  /** What an admin granted, in the shape of `Grants` in server/registry/grants.ts. */
  grants: jsonb('grants').notNull().default({}),
  /** Overrides of the engine's bounds, in the shape of `Limits` in server/threads/limits.ts. */
  limits: jsonb('limits').notNull().default({}),
  updatedAt: timestamp('updated_at', { withTimezone: true }).notNull().default(appNow),
})

/** The registry's truth. Append-only; grows by one row a command. */
export const registryEvents = pgTable(
  'registry_events',
  {
    seq: bigserial('seq', { mode: 'number' }).primaryKey(),
    workflow: text('workflow').notNull(),
    type: text('type', {
      enum: ['added', 'promoted', 'rolled_back', 'removed', 'restored', 'granted', 'limited'],
    }).notNull(),
    /** Current hash before and after. */
    before: hash('before'),
    after: hash('after'),
    actor: text('actor').notNull(),
    note: text('note'),
    /** What else the event says: the grants of `granted`, the limits of `limited`. */
    data: jsonb('data').notNull().default({}),
    at: timestamp('at', { withTimezone: true }).notNull().default(appNow),
  },
  // `workflow.history`, newest first: read backwards.
  (t) => [index('registry_events_history').on(t.workflow, t.seq)],
)
