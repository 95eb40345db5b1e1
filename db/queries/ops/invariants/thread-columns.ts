import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'
import type { Look, Violation } from './look'

/** Of these threads: whose lease, command, times and result do not fit their status. */
export async function misfitColumns({ sql }: Queryable, ids: string[], { limit }: Look): Promise<Violation[]> {
  return mapped(sql<Violation[]>`
    select id, status || ', but ' || wrong as message from (
      select id, status, case
        when (status = 'running') <> (runner is not null) then 'its runner is ' || coalesce(runner, 'none')
        when (status = 'running') <> (lease_expires_at is not null) then 'its lease is ' || coalesce('until ' || lease_expires_at, 'none')
        when status = 'running' and started_at is null then 'it never started'
        when status <> 'running' and control is not null then 'a ' || control || ' is asked of it'
        when (control is null) <> (control_actor is null) then 'nobody says who asked for ' || coalesce(control, 'nothing')
        when (status in ('paused', 'waiting')) <> (idle_since is not null) then 'it is idle since ' || coalesce(idle_since::text, 'never')
        when (status in ('completed', 'failed', 'killed', 'dropped')) <> (finished_at is not null)
          then 'it finished at ' || coalesce(finished_at::text, 'no time')
        when (status in ('completed', 'failed', 'killed')) <> (return_code is not null)
          then 'its return code is ' || coalesce(return_code::text, 'none')
        when status in ('completed', 'failed', 'killed', 'dropped') and summary is null then 'no summary says why'
      end as wrong
      from threads where id = any(${ids})
    ) looked where wrong is not null order by id limit ${limit}`)
}

/** Of these threads: that are finished without an end node, or have one and are not; dropped ones have no node at all. */
export async function misfitEnds({ sql }: Queryable, ids: string[], { limit }: Look): Promise<Violation[]> {
  return mapped(sql<Violation[]>`
    select t.id, t.status || ', but its head ' || t.head || ' is ' || coalesce(h.role, 'no step') as message
    from threads t left join lateral (select role from state_nodes where hash = t.head limit 1) h on true
    where t.id = any(${ids})
      and ((t.status in ('completed', 'failed', 'killed')) <> (coalesce(h.role, '') = '__end__')
        or (t.status = 'dropped' and t.head <> t.start))
    order by t.id limit ${limit}`)
}

/** Of these threads: whose depth is not one more than that of the thread that started them. */
export async function misfitDepths({ sql }: Queryable, ids: string[], { limit }: Look): Promise<Violation[]> {
  return mapped(sql<Violation[]>`
    select t.id, 'its depth is ' || t.depth || ', that of its parent ' || p.id || ' is ' || p.depth as message
    from threads t join threads p on p.id = t.parent_thread
    where t.id = any(${ids}) and t.depth <> p.depth + 1
    order by t.id limit ${limit}`)
}

/** Of these threads: whose events are not numbered 1, 2, 3 … up to `event_seq`, or whose last one says another state. */
export async function misfitEvents({ sql }: Queryable, ids: string[], { limit }: Look): Promise<Violation[]> {
  return mapped(sql<Violation[]>`
    select id, wrong as message from (
      select t.id, case
        when e.n <> t.event_seq or e.low <> 1 or e.high <> t.event_seq
          then format('event_seq is %s, and there are %s events, %s to %s', t.event_seq, e.n, e.low, e.high)
        when l.status <> t.status then format('%s, but its last event %s says %s', t.status, l.type, l.status)
        when t.status <> 'running' and l.head <> t.head then format('its head is %s, its last event %s says %s', t.head, l.type, l.head)
        when l.height > t.height then format('its height is %s, its last event %s says %s', t.height, l.type, l.height)
      end as wrong
      from threads t
      cross join lateral (select count(*) as n, min(seq) as low, max(seq) as high from thread_events where thread = t.id) e
      left join thread_events l on l.thread = t.id and l.seq = t.event_seq
      where t.id = any(${ids})
    ) looked where wrong is not null order by id limit ${limit}`)
}
