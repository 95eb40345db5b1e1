import { type Database, withTransaction } from '@/db/client'
import { mapped } from '@/db/errors'

export type Place = { thread: string; start: string; head: string; height: number }
/** A node that may belong to the thread: it comes after the place. `tip`: nothing comes after it. */
export type NodeAbove = { thread: string; hash: string; height: number; role: string; tip: boolean }

/**
 * What follows after places in chains. Nodes name what is below them only, and no index leads upwards: a table of this
 * transaction holds the nodes of those start nodes for the search. Markers begin another thread's chain, or have an event.
 */
export async function nodesAbove(db: Database, places: readonly Place[]): Promise<NodeAbove[]> {
  const starts = [...new Set(places.map(({ start }) => start))]
  return withTransaction(db, async ({ sql }) => {
    // It reads every node once, however many there are.
    await sql`set local statement_timeout = 0`
    await mapped(sql`
      create temporary table nodes_of_starts on commit drop as
      select hash, parent, start, height, role from state_nodes
      where start = any(${starts}) and role not in ('__fork__', '__retry__')`)
    await mapped(sql`create index on nodes_of_starts (start, parent)`)
    await mapped(sql`analyze nodes_of_starts`)
    return mapped(sql<NodeAbove[]>`
      with recursive place as (
        select * from unnest(${places.map(({ thread }) => thread)}::text[], ${places.map(({ start }) => start)}::text[],
          ${places.map(({ head }) => head)}::text[], ${places.map(({ height }) => height)}::int[]) as p(thread, start, head, height)
      ), above (thread, hash, start, height, role) as (
        select p.thread, n.hash, n.start, n.height, n.role from place p join nodes_of_starts n on n.start = p.start and n.height = p.height + 1
          and (n.parent = p.head or (p.head = p.start and n.parent is null))
        union all
        select a.thread, n.hash, n.start, n.height, n.role from above a join nodes_of_starts n on n.start = a.start and n.parent = a.hash
          and n.height = a.height + 1
      )
      select thread, hash, height, role, not exists (
        select 1 from nodes_of_starts n where n.start = above.start and n.parent = above.hash) as tip
      from above`)
  })
}
