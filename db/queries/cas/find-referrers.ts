import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'

export type Referrer = { hash: string; type: 'content' | 'group' | 'start' | 'state' }

/**
 * Objects that name `hash` in a column with an index: the state nodes whose content or child it is, the start nodes whose
 * prompt or caller it is, the contents and groups that list it.
 */
export async function findReferrers(q: Queryable, hash: string, limit: number): Promise<Referrer[]> {
  return mapped(referrersStatement(q, hash, limit))
}

/** The statement itself, so that a test can ask for its plan. */
export function referrersStatement({ sql }: Queryable, hash: string, limit: number) {
  return sql<Referrer[]>`
    (select hash, 'state' as type from state_nodes where content = ${hash} limit ${limit})
    union
    (select hash, 'state' from state_nodes where child_thread is not null and child_thread = ${hash} limit ${limit})
    union
    (select hash, 'state' from state_nodes where compact is not null and compact = ${hash} limit ${limit})
    union
    (select hash, 'start' from start_nodes where prompt = ${hash} limit ${limit})
    union
    (select hash, 'start' from start_nodes where parent_state is not null and parent_state = ${hash} limit ${limit})
    union
    (select hash, type from blobs where refs <> '{}' and refs @> ${[hash]}::text[] limit ${limit})
    limit ${limit}`
}

/**
 * State nodes of the chains that begin at `start` and point at the node `hash` of height `height` as an ancestor. A chain
 * has at most 11 of them, at known distances, so each is found from the thread's head by its ancestor pointers: about
 * 10 + n/1024 reads, and no index on ancestors that every append would pay for. Looks at the newest `threadLimit` threads.
 */
export async function findDescendants(
  { sql }: Queryable,
  {
    hash,
    height,
    start,
    threadLimit,
    limit,
  }: {
    hash: string
    height: number
    start: string
    threadLimit: number
    limit: number
  },
): Promise<Referrer[]> {
  return mapped(sql<Referrer[]>`
    with recursive heads as (
      select head, height from threads where start = ${start} and height > ${height}::int
      order by id desc limit ${threadLimit}
    ), walk (hash, height, floor) as (
      select head, h.height, ${height}::int + (1 << step)
      from heads h, generate_series(0, 10) as step where h.height >= ${height}::int + (1 << step)
      union
      select n.refs[3 + back], w.height - (1 << back), w.floor
      from walk w
      join state_nodes n on n.hash = w.hash
      cross join lateral (select least(10, length(ltrim((w.height - w.floor)::bit(32)::text, '0')) - 1) as back) as jump
      where w.height > w.floor
    )
    select distinct n.hash, 'state' as type
    from walk w join state_nodes n on n.hash = w.hash
    where w.height = w.floor and ${hash} = any(n.refs[3:])
    limit ${limit}`)
}
