import { sql } from 'drizzle-orm'
import { bigint, check, index, integer, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import { appNow, bytea, createdAt, hash } from './columns'

/**
 * Content nodes (canonical text) and raw blobs (bytea). Written by the runner's append and by `cas.put`; read by every
 * page that shows content. Grows by about one row a step; rows leave by GC only.
 */
export const blobs = pgTable(
  'blobs',
  {
    hash: hash('hash').primaryKey(),
    type: text('type', { enum: ['blob', 'content', 'group'] }).notNull(),
    /** Canonical bytes of a node, exactly. Null for a raw blob. */
    body: text('body'),
    /** Bytes of a raw blob. Null for a node. */
    raw: bytea('raw'),
    refs: text('refs').array().notNull().default(sql`'{}'::text[]`),
    digest: bytea('digest').notNull(),
    /** Bytes, UTF-8. */
    size: integer('size').notNull(),
    mediaType: text('media_type'),
    createdAt: createdAt(),
    /** When it was last put or referred to anew: garbage collection takes only what is old by this. */
    touchedAt: timestamp('touched_at', { withTimezone: true }).notNull().default(appNow),
  },
  (t) => [
    check('blobs_one_body', sql`(${t.body} is null) <> (${t.raw} is null)`),
    // `cas.list` of one type; contents, which are nearly all rows, are listed by the primary key.
    index('blobs_rare').on(t.type, t.hash).where(sql`${t.type} <> 'content'`),
    // `cas.refs` backwards: only the few contents that name artifacts are in it.
    index('blobs_refs').using('gin', t.refs).where(sql`${t.refs} <> '{}'`),
  ],
)

/** One row for each distinct (workflow, bundle, prompt, parent, input). Written by `thread.start`. */
export const startNodes = pgTable(
  'start_nodes',
  {
    hash: hash('hash').primaryKey(),
    body: text('body').notNull(),
    refs: text('refs').array().notNull(),
    digest: bytea('digest').notNull(),
    name: text('name').notNull(),
    bundle: hash('bundle').notNull(),
    depth: integer('depth').notNull(),
    parentState: hash('parent_state'),
    prompt: hash('prompt').notNull(),
    createdAt: createdAt(),
    /** As in `blobs`. */
    touchedAt: timestamp('touched_at', { withTimezone: true }).notNull().default(appNow),
  },
  (t) => [
    // `cas.refs` backwards, and `verify`: who starts with this prompt, who was called at this node.
    index('start_nodes_prompt').on(t.prompt),
    index('start_nodes_parent').on(t.parentState).where(sql`${t.parentState} is not null`),
  ],
)

/** One row a step, marker or end. Written by the runner's append only; never updated. */
export const stateNodes = pgTable(
  'state_nodes',
  {
    hash: hash('hash').primaryKey(),
    body: text('body').notNull(),
    refs: text('refs').array().notNull(),
    digest: bytea('digest').notNull(),
    role: text('role').notNull(),
    start: hash('start').notNull(),
    content: hash('content').notNull(),
    /** Null on the first node after the start node. */
    parent: hash('parent'),
    /** 1 on the first node after the start node; counts markers and the end node too. */
    height: integer('height').notNull(),
    compact: hash('compact'),
    childThread: hash('child_thread'),
    /** Milliseconds since the epoch, by the database's clock. */
    timestamp: bigint('timestamp', { mode: 'number' }).notNull(),
  },
  // `cas.refs` backwards and "who called this child": only the few nodes that have a child are in it.
  (t) => [
    index('state_nodes_child').on(t.childThread).where(sql`${t.childThread} is not null`),
    index('state_nodes_compact').on(t.compact).where(sql`${t.compact} is not null`),
    // `cas.refs` of a content backwards, and the threads that `verify` names for a damaged one. The only index beside the key
    // that an append pays for: 6 % more WAL a state node. Ancestors have none: they are found by walking down from the heads.
    index('state_nodes_content').on(t.content),
  ],
)
