import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'
import type { Look, Violation } from './look'

/** Runners that hold more threads than they have room for: threads whose lease is good, and that they hold for a while. */
export async function overfullRunners({ sql }: Queryable, { settleSeconds, limit }: Look): Promise<Violation[]> {
  return mapped(sql<Violation[]>`
    with held as (
      select runner, array_agg(id) as threads from threads
      where status = 'running' and lease_expires_at > app_now() group by runner
    )
    select r.id, format('it holds %s threads, its capacity is %s', settled.n, r.capacity) as message
    from held h join runners r on r.id = h.runner cross join lateral (
      select count(*) as n from unnest(h.threads) as one(id) cross join lateral (
        select at from thread_events where thread = one.id and type = 'claimed' order by seq desc limit 1) c
      where c.at <= app_now() - make_interval(secs => ${settleSeconds})) settled
    where cardinality(h.threads) > r.capacity and settled.n > r.capacity
    order by r.id limit ${limit}`)
}

/** When a thread was last taken from the queue: a takeover of an expired lease adds nothing to what runs. */
const lastClaim = ({ sql }: Queryable) => sql`
  select e.at from thread_events e
  where e.thread = t.id and e.type = 'claimed'
    and not exists (select 1 from thread_events b where b.thread = e.thread and b.seq = e.seq - 1 and b.type = 'lease_expired')
  order by e.seq desc limit 1`

/** Workflows of which more threads run than their limit allows, one of them claimed after that limit was set. */
export async function overfullWorkflows(q: Queryable, { limit }: Look): Promise<Violation[]> {
  const { sql } = q
  return mapped(sql<Violation[]>`
    select w.name as id, format('%s threads run, its limit concurrency is %s', r.n, w.limits ->> 'concurrency') as message
    from workflows w cross join lateral (
      select count(*) as n from threads t where t.workflow = w.name and t.status = 'running') r
    where w.limits ->> 'concurrency' is not null and r.n > (w.limits ->> 'concurrency')::int
      and exists (
        select 1 from threads t cross join lateral (${lastClaim(q)}) c where t.workflow = w.name and t.status = 'running'
          and c.at > coalesce((select max(e.at) from registry_events e where e.workflow = w.name and e.type = 'limited'), '-infinity'))
    order by w.name limit ${limit}`)
}

/** Quarantines that do not say enough, and threads that were claimed in spite of one. */
export async function brokenQuarantines(q: Queryable, { limit }: Look, mostCrashes: number): Promise<Violation[]> {
  const { sql } = q
  return mapped(sql<Violation[]>`
    select bundle as id, case when crashes <= ${mostCrashes} then format('it crashed only %s times', crashes)
      else 'it was lifted, and nobody says who did' end as message
    from quarantines where crashes <= ${mostCrashes} or (lifted_at is null) <> (lifted_by is null)
    union all
    select t.id, format('it was claimed at %s, though its version %s is in quarantine since %s', c.at, t.bundle, q.at)
    from quarantines q join threads t on t.bundle = q.bundle and t.status = 'running' cross join lateral (${lastClaim(q)}) c
    where q.lifted_at is null and c.at > q.at + interval '5 seconds'
    limit ${limit}`)
}
