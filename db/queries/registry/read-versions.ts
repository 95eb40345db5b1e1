import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'

export type VersionRow = {
  hash: string
  size: number
  /** When, by whom and with which note it was first added to this workflow. */
  addedAt: Date
  addedBy: string
  note: string | null
}

/** Every bundle that was ever current, newest first. */
export async function readVersions({ sql }: Queryable, name: string, limit: number): Promise<VersionRow[]> {
  return mapped(sql<VersionRow[]>`
    select v.hash, b.size, v.at as "addedAt", v.actor as "addedBy", v.note
    from (
      select distinct on (after) after as hash, seq, at, actor, note
      from registry_events
      where workflow = ${name} and after is not null
      order by after, seq
    ) v
    join bundles b on b.hash = v.hash
    order by v.seq desc
    limit ${limit}`)
}

/** Whether the bundle was ever current in this workflow. */
export async function hadVersion({ sql }: Queryable, name: string, hash: string): Promise<boolean> {
  const rows = await mapped(sql<{ had: boolean }[]>`
    select exists (select 1 from registry_events where workflow = ${name} and after = ${hash}) as had`)
  return rows[0]?.had ?? false
}

/**
 * What was current before this version was last added or promoted; null for the first one. A rollback does not count, so
 * that one rollback after the other goes further and further back.
 */
export async function versionBefore({ sql }: Queryable, name: string, hash: string): Promise<string | null> {
  const rows = await mapped(sql<{ before: string | null }[]>`
    select before from registry_events
    where workflow = ${name} and after = ${hash} and type in ('added', 'promoted')
    order by seq desc
    limit 1`)
  return rows[0]?.before ?? null
}
