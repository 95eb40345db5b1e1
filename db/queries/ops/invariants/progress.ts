import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'
import { freeRunners, type Look, type Violation } from './look'

/** Threads whose lease ran out long ago, though a runner is free that may take them over. */
export async function abandonedLeases(q: Queryable, look: Look): Promise<Violation[]> {
  const { sql } = q
  return mapped(sql<Violation[]>`
    with ${freeRunners(q, look)}
    select t.id, format('the lease of runner %s ran out at %s, and nobody took the thread over', t.runner, t.lease_expires_at) as message
    from threads t
    where t.status = 'running' and t.lease_expires_at < app_now() - make_interval(secs => ${look.settleSeconds})
      and exists (select 1 from free f where t.labels <@ f.labels and (f.permissions is null or t.permissions <@ f.permissions))
    order by t.id limit ${look.limit}`)
}

/** The thread that each free runner would claim first, when it could have long ago. */
export async function unclaimed(q: Queryable, look: Look): Promise<Violation[]> {
  const { sql } = q
  return mapped(sql<Violation[]>`
    with ${freeRunners(q, look)}, full_up as materialized (
      select w.name from workflows w
      where w.limits ->> 'concurrency' is not null and (w.limits ->> 'concurrency')::int
        <= (select count(*) from threads r where r.workflow = w.name and r.status = 'running')
    )
    select distinct first.id, format('nobody claims it, though runner %s is free', f.id) as message
    from free f cross join lateral (
      select t.id, t.available_at from threads t
      where t.status = 'queued' and t.available_at <= app_now() and t.labels <@ f.labels
        and (f.permissions is null or t.permissions <@ f.permissions)
        and not exists (select 1 from quarantines q where q.bundle = t.bundle and q.lifted_at is null)
        and not exists (select 1 from full_up u where u.name = t.workflow)
      order by t.priority desc, t.id limit 1) first
    where first.available_at < app_now() - make_interval(secs => ${look.settleSeconds})
    limit ${look.limit}`)
}

/** Tasks that one thread left for another, and that no runner does though one lives. */
export async function oldTasks({ sql }: Queryable, { settleSeconds, aliveSeconds, limit }: Look): Promise<Violation[]> {
  return mapped(sql<Violation[]>`
    select k.thread as id, format('the task to %s it (%s) is left since %s', k.kind, k.reason, k.at) as message
    from (select * from thread_tasks order by seq limit 1000) k
    where k.at < app_now() - make_interval(secs => ${settleSeconds})
      and exists (select 1 from runners r where r.stopped_at is null and r.active < r.capacity and not r.draining
        and r.started_at <= app_now() - make_interval(secs => ${settleSeconds})
        and r.heartbeat_at > app_now() - make_interval(secs => ${aliveSeconds}))
    limit ${limit}`)
}

/** Threads that go on long after a kill was asked of their runner, or after their deadline. */
export async function lateEnds(
  { sql }: Queryable,
  { settleSeconds, aliveSeconds, limit }: Look,
  graceSeconds: number,
): Promise<Violation[]> {
  return mapped(sql<Violation[]>`
    with living as (
      select id from runners where stopped_at is null and started_at <= app_now() - make_interval(secs => ${settleSeconds})
        and heartbeat_at > app_now() - make_interval(secs => ${aliveSeconds})
    )
    select t.id, format('a kill was asked of runner %s at %s, and it still runs', t.runner, e.at) as message
    from threads t cross join lateral (
      select at from thread_events where thread = t.id and type = 'kill_requested' order by seq desc limit 1) e
    where t.control = 'kill' and t.runner in (select id from living) and t.lease_expires_at > app_now()
      and e.at < app_now() - make_interval(secs => ${settleSeconds + graceSeconds})
    union all
    (select t.id, format('its deadline was %s, and it is %s', t.deadline_at, t.status) from threads t
      where t.deadline_at is not null and t.status in ('queued', 'paused', 'waiting') and exists (select 1 from living)
        and t.deadline_at < app_now() - make_interval(secs => ${settleSeconds})
      order by t.deadline_at limit ${limit})
    limit ${limit}`)
}
