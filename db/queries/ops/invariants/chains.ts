import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'
import type { Look, Violation } from './look'

// `lateral … limit 1` keeps the planner to one look into the index for each thread, however it estimates.

/** Of these threads: whose head is not the node that height and start say, or whose start node says other things than the row. */
export async function misfitHeads({ sql }: Queryable, ids: string[], { limit }: Look): Promise<Violation[]> {
  return mapped(sql<Violation[]>`
    select id, wrong as message from (
      select t.id, case
        when s.hash is null then format('its start node %s is not stored', t.start)
        when s.name <> t.workflow or s.bundle <> t.bundle or s.depth <> t.depth
          then format('it is %s@%s at depth %s, its start node says %s@%s at depth %s', t.workflow, t.bundle, t.depth, s.name, s.bundle, s.depth)
        when t.head = t.start and (t.height <> 0 or t.steps <> 0) then format('it has no node, but height %s and %s steps', t.height, t.steps)
        when t.head <> t.start and h.hash is null then format('its head %s is not stored', t.head)
        when h.height <> t.height then format('its height is %s, that of its head %s', t.height, h.height)
        when h.start <> t.start then format('its start node is %s, that of its head %s', t.start, h.start)
      end as wrong
      from threads t left join lateral (select * from start_nodes where hash = t.start limit 1) s on true
        left join lateral (select hash, height, start from state_nodes where hash = t.head and t.head <> t.start limit 1) h on true
      where t.id = any(${ids})
    ) looked where wrong is not null order by id limit ${limit}`)
}

/**
 * Of these threads, up to a height: those that do not lead from head to start node by node, each one lower than the one before and of
 * the same start (or the start of what a fork goes on from), or whose steps are not the nodes without markers and ends.
 */
export async function brokenChains(
  { sql }: Queryable,
  ids: string[],
  { limit, maxHeight }: Look & { maxHeight: number },
): Promise<Violation[]> {
  return mapped(sql<Violation[]>`
    with recursive walk (id, parent, height, role, start) as (
      select t.id, h.parent, h.height, h.role, h.start from threads t
        cross join lateral (select * from state_nodes where hash = t.head limit 1) h
        where t.id = any(${ids}) and t.height <= ${maxHeight}
      union all
      select w.id, p.parent, p.height, p.role, p.start from walk w
        cross join lateral (select * from state_nodes where hash = w.parent limit 1) p
        where p.height = w.height - 1 and (p.start = w.start or w.role = '__fork__')
    ), walked as (
      select id, count(*) as nodes, min(height) as low, bool_or(parent is null and height = 1) as bottom,
        count(*) filter (where role not in ('__end__', '__fork__', '__retry__')) as steps
      from walk group by id
    )
    select t.id, case
      when not w.bottom or w.nodes <> t.height then format('its chain breaks below height %s', w.low)
      else format('its steps are %s, its chain has %s', t.steps, w.steps) end as message
    from walked w join threads t on t.id = w.id
    where not w.bottom or w.nodes <> t.height or w.steps <> t.steps
    order by t.id limit ${limit}`)
}
