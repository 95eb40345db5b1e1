import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'

export type BlobRow = {
  hash: string
  type: 'blob' | 'content' | 'group'
  /** Canonical text of a node; null for a raw blob. */
  body: string | null
  raw: Buffer | null
  refs: string[]
  digest: Buffer
  size: number
  mediaType: string | null
}

export type StartRow = {
  hash: string
  body: string
  refs: string[]
  digest: Buffer
  name: string
  bundle: string
  depth: number
  parentState: string | null
  prompt: string
}

export type StateRow = {
  hash: string
  body: string
  refs: string[]
  digest: Buffer
  role: string
  start: string
  content: string
  parent: string | null
  height: number
  compact: string | null
  childThread: string | null
  timestamp: number
}

/*
 * Each insert writes nothing when the address is taken, in whichever table, and says so by `false`; the caller compares the
 * bytes then (`putAgain`). `on conflict` waits for another transaction that inserts the same address, so the answer holds when
 * it comes. The refs are held in the same statement, so that none of them is collected before the row is there; MISSING_REF
 * names one that is gone.
 */

export async function insertBlob({ sql }: Queryable, row: BlobRow): Promise<boolean> {
  const inserted = await mapped(sql`
    with held as materialized (select cas_reuse(${row.refs}::text[]))
    insert into blobs (hash, type, body, raw, refs, digest, size, media_type)
    select ${row.hash}, ${row.type}, ${row.body}::text, ${row.raw}::bytea, ${row.refs}::text[], ${row.digest}::bytea,
      ${row.size}::int, ${row.mediaType}::text
    from held
    where not exists (select from start_nodes where hash = ${row.hash})
      and not exists (select from state_nodes where hash = ${row.hash})
    on conflict (hash) do nothing`)
  return inserted.count === 1
}

export async function insertStart({ sql }: Queryable, row: StartRow): Promise<boolean> {
  const inserted = await mapped(sql`
    with held as materialized (select cas_reuse(${row.refs}::text[]))
    insert into start_nodes (hash, body, refs, digest, name, bundle, depth, parent_state, prompt)
    select ${row.hash}, ${row.body}, ${row.refs}::text[], ${row.digest}::bytea, ${row.name}, ${row.bundle}, ${row.depth}::int,
      ${row.parentState}::text, ${row.prompt}
    from held
    where not exists (select from blobs where hash = ${row.hash})
      and not exists (select from state_nodes where hash = ${row.hash})
    on conflict (hash) do nothing`)
  return inserted.count === 1
}

export async function insertState({ sql }: Queryable, row: StateRow): Promise<boolean> {
  const inserted = await mapped(sql`
    with held as materialized (select cas_reuse(${row.refs}::text[]))
    insert into state_nodes (hash, body, refs, digest, role, start, content, parent, height, compact, child_thread, timestamp)
    select ${row.hash}, ${row.body}, ${row.refs}::text[], ${row.digest}::bytea, ${row.role}, ${row.start}, ${row.content},
      ${row.parent}::text, ${row.height}::int, ${row.compact}::text, ${row.childThread}::text, ${row.timestamp}::bigint
    from held
    where not exists (select from blobs where hash = ${row.hash})
      and not exists (select from start_nodes where hash = ${row.hash})
    on conflict (hash) do nothing`)
  return inserted.count === 1
}

/**
 * After an insert that found the address taken, in whichever table: `same` when these bytes are stored there, and from now on
 * count as touched; `other`; or `gone`, when it was collected between the two statements.
 */
export async function putAgain(
  { sql }: Queryable,
  object: { hash: string; body: string | null; raw: Buffer | null },
): Promise<'same' | 'other' | 'gone'> {
  const rows = await mapped(sql<{ outcome: 'same' | 'other' | 'gone' }[]>`
    select put_again(${object.hash}, ${object.body}::text, ${object.raw}::bytea) as outcome`)
  return rows[0]?.outcome ?? 'gone'
}
