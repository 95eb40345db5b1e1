import type { Queryable } from '@/db/client'

type StoredRow = { hash: string; refs: string[]; young: boolean }

/**
 * What a collection must leave, worked out from the tables in the plainest way: everything that can be reached from a root or
 * from what was touched in the last `graceSeconds`.
 */
export async function expectedSurvivors({ sql }: Queryable, graceSeconds: number): Promise<Set<string>> {
  const rows = await sql<StoredRow[]>`
    with all_of_it as (
      select hash, refs, touched_at from blobs union all select hash, refs, touched_at from start_nodes
      union all select hash, refs, to_timestamp(timestamp / 1000.0) from state_nodes
    ) select hash, refs, touched_at >= app_now() - make_interval(secs => ${graceSeconds}) as young from all_of_it`
  const roots = await sql<{ hash: string }[]>`
    select start as hash from threads union select head from threads union select hash from pins
    union select subject from waits union select subject from thread_inputs`
  const refs = new Map(rows.map((row) => [row.hash, row.refs]))
  const reached = new Set<string>()
  const open = [...roots, ...rows.filter((row) => row.young)].map((row) => row.hash)
  for (let hash = open.pop(); hash !== undefined; hash = open.pop()) {
    const below = refs.get(hash)
    if (below === undefined || reached.has(hash)) continue
    reached.add(hash)
    open.push(...below)
  }
  return reached
}

export async function storedHashes({ sql }: Queryable): Promise<Set<string>> {
  return new Set((await sql<{ hash: string }[]>`select hash from cas`).map((row) => row.hash))
}

/** Refs that lead nowhere, of any object at all and of the rows that hold one: in one snapshot. */
export async function danglingRefs({ sql }: Queryable): Promise<{ holder: string; ref: string }[]> {
  return sql<{ holder: string; ref: string }[]>`
    with ref as (
      select hash as holder, unnest(refs) as ref from blobs where refs <> '{}'
      union all select hash, unnest(refs) from start_nodes
      union all select hash, unnest(refs) from state_nodes
      union all select id, start from threads
      union all select id, head from threads
      union all select owner, hash from pins
    )
    select holder, ref from ref
    where not exists (select from blobs where hash = ref) and not exists (select from state_nodes where hash = ref)
      and not exists (select from start_nodes where hash = ref) limit 20`
}
