import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'
import { freeRunners, type Look, type Violation } from './look'

/** Of these threads: that wait without an open wait, or have more than one. */
export async function misfitWaits({ sql }: Queryable, ids: string[], { limit }: Look): Promise<Violation[]> {
  return mapped(sql<Violation[]>`
    select t.id, format('%s, with %s open waits', t.status, o.n) as message
    from threads t cross join lateral (select count(*) as n from waits w where w.thread = t.id and w.status = 'open') o
    where t.id = any(${ids})
      and (o.n > 1 or (t.status = 'waiting' and o.n <> 1) or (t.status in ('completed', 'failed', 'killed', 'dropped') and o.n > 0))
    order by t.id limit ${limit}`)
}

/**
 * Of these threads: that wait for others of which enough have ended, without a task to look again; and that wait for a time which
 * is long past while a runner is free.
 */
export async function missedWakes(q: Queryable, ids: string[], look: Look): Promise<Violation[]> {
  const { sql } = q
  return mapped(sql<Violation[]>`
    with ${freeRunners(q, look)}, open as (
      select w.* from threads t cross join lateral (select * from waits where thread = t.id and status = 'open' limit 1) w
      where t.id = any(${ids}) and t.status = 'waiting'
    ), met as (
      select o.thread, o.mode, cardinality(o.targets) as targets,
        count(*) filter (where t.id is null or t.status in ('completed', 'failed', 'killed', 'dropped')) as ended,
        count(*) filter (where t.status = 'completed') as succeeded
      from open o cross join lateral unnest(o.targets) as target(id) left join threads t on t.id = target.id
      where o.kind = 'threads' group by o.thread, o.mode, o.targets
    )
    select thread as id, format('%s of %s threads that it waits for have ended, and nothing is left that wakes it', ended, targets) as message
    from met
    where (ended = targets or (mode = 'any' and ended > 0) or (mode = 'success' and succeeded > 0))
      and not exists (select 1 from thread_tasks k where k.kind = 'wake' and k.thread = met.thread)
    union all
    select thread, format('it should have gone on at %s', wake_at) from open
    where wake_at < app_now() - make_interval(secs => ${look.settleSeconds}) and exists (select 1 from free)
    order by id limit ${look.limit}`)
}

/** Threads that wait for each other in a circle, so that none of them ever goes on. Looks at the newest ones. */
export async function waitCircles({ sql }: Queryable, { limit }: Look, most: number): Promise<Violation[]> {
  return mapped(sql<Violation[]>`
    with recursive open as materialized (
      select w.thread, w.targets from (select id from threads where status = 'waiting' order by id desc limit ${most}) t
      cross join lateral (select * from waits where thread = t.id and status = 'open' limit 1) w
      where w.kind = 'threads'
    ), ahead (thread, target) as (
      select o.thread, target from open o cross join lateral unnest(o.targets) as target
      union
      select a.thread, next from ahead a join open o on o.thread = a.target cross join lateral unnest(o.targets) as next
    )
    select thread as id, 'it waits for a thread that waits for it' as message from ahead where target = thread
    order by thread limit ${limit}`)
}

/** Of these threads: unfinished children of a parent that has ended, with nothing under way that ends them. Who retried one wanted that. */
export async function orphans({ sql }: Queryable, ids: string[], { limit }: Look): Promise<Violation[]> {
  return mapped(sql<Violation[]>`
    select t.id, format('%s, though its parent %s is %s', t.status, t.parent_thread, coalesce(p.status, 'removed')) as message
    from threads t left join threads p on p.id = t.parent_thread
    where t.id = any(${ids}) and t.parent_thread is not null and t.status in ('queued', 'running', 'paused', 'waiting')
      and (p.id is null or p.status in ('completed', 'failed', 'killed', 'dropped'))
      and t.control is distinct from 'kill'
      and not exists (select 1 from thread_tasks k where k.kind = 'kill' and k.thread = t.id)
      and not exists (select 1 from thread_events e where e.thread = t.id and e.type = 'retried')
    order by t.id limit ${limit}`)
}
