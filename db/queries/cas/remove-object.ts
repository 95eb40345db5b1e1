import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'
import { findReferrers, type Referrer } from './find-referrers'

export type Holder = { kind: Referrer['type'] | 'pin' | 'wait' | 'input'; id: string }

/**
 * What a content, group or raw blob is held by, `limit` at most. In a transaction that has called `lockOutWriters` it stays so until the end.
 */
export async function findHoldersOf(q: Queryable, hash: string, limit: number): Promise<Holder[]> {
  const referrers = await findReferrers(q, hash, limit)
  const rows = await mapped(q.sql<Holder[]>`
    (select 'pin' as kind, owner as id from pins where hash = ${hash} limit ${limit})
    union all
    (select 'wait', thread from waits where subject = ${hash} limit ${limit})
    union all
    (select 'input', thread from thread_inputs where subject = ${hash} limit ${limit})`)
  return [...referrers.map((referrer) => ({ kind: referrer.type, id: referrer.hash })), ...rows].slice(0, limit)
}

/** Waits for the writers that refer to what exists already, and keeps new ones out, until the transaction ends (`gc_alone`). */
export async function lockOutWriters({ sql }: Queryable): Promise<void> {
  await mapped(sql`select gc_alone()`)
}

export async function deleteBlob({ sql }: Queryable, hash: string): Promise<boolean> {
  const deleted = await mapped(sql`delete from blobs where hash = ${hash}`)
  return deleted.count === 1
}

/** A thread that stands on this node, or began at it. */
export async function findThreadOn({ sql }: Queryable, hash: string): Promise<string | null> {
  const rows = await mapped(sql<{ id: string }[]>`
    select id from threads where start = ${hash}
    union all
    select t.id from state_nodes s join threads t on t.start = s.start where s.hash = ${hash}
    limit 1`)
  return rows[0]?.id ?? null
}
