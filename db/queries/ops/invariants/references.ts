import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'
import type { Look, Violation } from './look'

/** Of these threads: what their start node and their head refer to, and is not stored. */
export async function danglingHeads({ sql }: Queryable, ids: string[], { limit }: Look): Promise<Violation[]> {
  return mapped(sql<Violation[]>`
    select t.id, format('%s refers to %s, which is not stored', node.hash, ref) as message
    from threads t cross join lateral (
      select hash, refs from start_nodes where hash = t.start union all select hash, refs from state_nodes where hash = t.head
    ) node cross join lateral unnest(node.refs) as ref
    where t.id = any(${ids}) and not exists (select 1 from cas where cas.hash = ref)
    order by t.id limit ${limit}`)
}

/** Of these threads: whose bundle is not stored. */
export async function missingBundles({ sql }: Queryable, ids: string[], { limit }: Look): Promise<Violation[]> {
  return mapped(sql<Violation[]>`
    select t.id, format('its version %s is not stored', t.bundle) as message from threads t
    where t.id = any(${ids}) and not exists (select 1 from bundles b where b.hash = t.bundle)
    order by t.id limit ${limit}`)
}

/** Pins of what is not stored; workflows that are not what their newest event says. */
export async function misfitProjections({ sql }: Queryable, { limit }: Look): Promise<Violation[]> {
  return mapped(sql<Violation[]>`
    (select p.hash as id, format('%s pinned it, and it is not stored', p.owner) as message
      from pins p where not exists (select 1 from cas where cas.hash = p.hash) limit ${limit})
    union all
    (select w.name, format('it is %s at version %s, its newest event says %s at %s', w.current, w.version, e.after, e.seq)
      from workflows w left join lateral (
        select seq, after from registry_events where workflow = w.name order by seq desc limit 1) e on true
      where e.seq is distinct from w.version or e.after is distinct from w.current limit ${limit})
    union all
    (select w.name, format('its current version %s is not stored', w.current) from workflows w
      where not exists (select 1 from bundles b where b.hash = w.current) limit ${limit})
    limit ${limit}`)
}

export type ObjectTable = 'blobs' | 'start_nodes' | 'state_nodes'

/**
 * The next objects of a table by hash, and those of their refs that are not stored. `last` is null when there was none. While
 * garbage is swept, a piece of it may be gone before what refers to it: then nothing is reported.
 */
export async function danglingObjects(
  { sql }: Queryable,
  { table, after, batch, limit }: { table: ObjectTable; after: string; batch: number; limit: number },
): Promise<{ last: string | null; violations: Violation[] }> {
  const rows = await mapped(sql<{ last: string | null; violations: Violation[] }[]>`
    with page as materialized (select hash, refs from ${sql(table)} where hash > ${after} order by hash limit ${batch}),
    lost as (
      select page.hash, ref from page cross join lateral unnest(page.refs) as ref
      where not exists (select 1 from cas where cas.hash = ref)
        and not exists (select 1 from gc_runs g where g.phase = 'sweeping' and not g.dry_run)
      order by page.hash limit ${limit}
    )
    select (select max(hash) from page) as last,
      (select coalesce(json_agg(json_build_object('id', hash, 'message', format('it refers to %s, which is not stored', ref))), '[]') from lost) as violations`)
  return rows[0] ?? { last: null, violations: [] }
}
