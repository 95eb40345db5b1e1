import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'

/*
 * Which threads hold a damaged object. Asked only when something is damaged, so the statements may scan; each answer is
 * bounded by `limit`.
 */

/** A state node and the height at which a chain holds it. */
export type Target = { hash: string; height: number; start: string }
/** Where a thread's chain is entered from above. */
export type Entry = { id: string; head: string; height: number; start: string }

/** State nodes that hold one of the blobs as content or summary, or one of the end nodes as child. */
export async function findHolders(
  { sql }: Queryable,
  { blobs, ends, limit }: { blobs: string[]; ends: string[]; limit: number },
): Promise<Target[]> {
  return mapped(sql<Target[]>`
    select hash, height, start from state_nodes where content = any(${blobs}::text[])
    union
    select hash, height, start from state_nodes where compact is not null and compact = any(${blobs}::text[])
    union
    select hash, height, start from state_nodes where child_thread is not null and child_thread = any(${ends}::text[])
    limit ${limit}`)
}

/** Contents and groups that list one of the objects. */
export async function findListing({ sql }: Queryable, hashes: string[], limit: number): Promise<string[]> {
  const rows = await mapped(sql<{ hash: string }[]>`
    select hash from blobs where refs <> '{}' and refs && ${hashes}::text[] limit ${limit}`)
  return rows.map((row) => row.hash)
}

export async function findStarts({ sql }: Queryable, prompts: string[], limit: number): Promise<string[]> {
  const rows = await mapped(sql<{ hash: string }[]>`
    select hash from start_nodes where prompt = any(${prompts}::text[]) limit ${limit}`)
  return rows.map((row) => row.hash)
}

/** Threads that begin at one of the start nodes or run one of the bundles, and all forks of them. */
export async function findThreads(
  { sql }: Queryable,
  { starts, bundles, limit }: { starts: string[]; bundles: string[]; limit: number },
): Promise<Entry[]> {
  return mapped(sql<Entry[]>`
    with recursive found as (
      select id, head, height, start from threads where start = any(${starts}::text[]) or bundle = any(${bundles}::text[])
      union
      select t.id, t.head, t.height, t.start from found f join threads t on t.source_thread = f.id
    )
    select * from found limit ${limit}`)
}

/** Child threads of the given ones, entered at the node that called them; `ownHead` is the child's head. */
export async function findChildren(
  { sql }: Queryable,
  parents: string[],
  limit: number,
): Promise<(Entry & { ownHead: string })[]> {
  return mapped(sql<(Entry & { ownHead: string })[]>`
    select t.id, s.parent_state as head, coalesce(n.height, 0) as height, coalesce(n.start, s.parent_state) as start,
      t.head as "ownHead"
    from threads t join start_nodes s on s.hash = t.start left join state_nodes n on n.hash = s.parent_state
    where t.parent_thread = any(${parents}::text[]) and s.parent_state is not null limit ${limit}`)
}

/**
 * Ids of the entries whose chain holds one of the targets. Walks down by the longest ancestor pointer that does not
 * overshoot, counting heights itself, so neither a damaged height column nor a missing target stops it.
 */
export async function findHolding({ sql }: Queryable, entries: Entry[], targets: Target[]): Promise<string[]> {
  const rows = await mapped(sql<{ id: string }[]>`
    with recursive walk (id, hash, height, target, floor) as (
      select e.id, e.head, e.height, t.hash, t.height
      from unnest(${entries.map((e) => e.id)}::text[], ${entries.map((e) => e.head)}::text[],
          ${entries.map((e) => e.height)}::int[]) as e (id, head, height)
      join unnest(${targets.map((t) => t.hash)}::text[], ${targets.map((t) => t.height)}::int[]) as t (hash, height)
        on e.height >= t.height
      union
      select w.id, n.refs[3 + back], w.height - (1 << back), w.target, w.floor
      from walk w
      join state_nodes n on n.hash = w.hash
      cross join lateral (select least(10, length(ltrim((w.height - w.floor)::bit(32)::text, '0')) - 1) as back) as jump
      where w.height > w.floor
    )
    select distinct id from walk where hash = target`)
  return rows.map((row) => row.id)
}
