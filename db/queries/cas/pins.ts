import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'

export type PinRow = {
  hash: string
  owner: string
  note: string | null
  createdAt: Date
  /** Null when the object is gone, which a pin does not allow. */
  type: string | null
  size: number | null
}

/** Pins for an owner, or gives the pin a new note. Holds the object in the same statement: MISSING_REF when it is gone. */
export async function insertPin(
  { sql }: Queryable,
  { hash, owner, note }: { hash: string; owner: string; note: string | null },
): Promise<void> {
  await mapped(sql`
    with held as materialized (select cas_reuse(array[${hash}::text]))
    insert into pins (hash, owner, note) select ${hash}, ${owner}, ${note}::text from held
    on conflict (hash, owner) do update set note = excluded.note`)
}

export async function deletePin(
  { sql }: Queryable,
  { hash, owner }: { hash: string; owner: string },
): Promise<boolean> {
  const deleted = await mapped(sql`delete from pins where hash = ${hash} and owner = ${owner}`)
  return deleted.count === 1
}

export async function ownersOf({ sql }: Queryable, hash: string): Promise<string[]> {
  const rows = await mapped(
    sql<{ owner: string }[]>`select owner from pins where hash = ${hash} order by owner limit 20`,
  )
  return rows.map((row) => row.owner)
}

/** A page in the order of hash and owner, behind the given pair. */
export async function listPinRows(
  { sql }: Queryable,
  { after, limit }: { after: { hash: string; owner: string }; limit: number },
): Promise<PinRow[]> {
  return mapped(sql<PinRow[]>`
    select p.hash, p.owner, p.note, p.created_at as "createdAt", o.type, o.size
    from (select * from pins where (hash, owner) > (${after.hash}, ${after.owner}) order by hash, owner limit ${limit}) p
    left join lateral (select type, size from cas where cas.hash = p.hash limit 1) o on true
    order by p.hash, p.owner`)
}
