import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'

/** What decides whether a queued thread is claimed next. */
export type QueueState = {
  /** Milliseconds until it may be claimed; 0 when it may be now. */
  delayMs: number
  /** Since when its bundle is in quarantine, and why. */
  quarantinedAt: Date | null
  quarantineReason: string | null
  /** Threads of its workflow that run, and how many may. */
  running: number
  concurrency: number | null
  /** Live runners that may claim at all. */
  runners: { labels: string[]; permissions: string[] | null; capacity: number; held: number }[]
  /** Live runners that were asked to claim nothing more. */
  draining: number
  /** Threads that are claimed before it, counted up to `READ_AHEAD`. */
  ahead: number
}

export type QueuedThread = {
  id: string
  workflow: string
  bundle: string
  priority: number
  availableAt: Date
}

/** Threads before one in the queue are counted up to this. */
export const READ_AHEAD = 1_000

/** Each part is bounded: by what runs now, by the runners that live, or by a limit. */
export async function readQueueState(
  { sql }: Queryable,
  thread: QueuedThread,
  aliveSeconds: number,
): Promise<QueueState> {
  const { id, workflow, bundle, priority, availableAt } = thread
  const rows = await mapped(sql<QueueState[]>`
    with living as (
      select id, labels, permissions, capacity, draining from runners
      where stopped_at is null and heartbeat_at > app_now() - make_interval(secs => ${aliveSeconds})
    ), held as (
      select runner, count(*)::int as held from threads where status = 'running' group by runner
    ), workflow as (
      select (limits ->> 'concurrency')::int as concurrency from workflows where name = ${workflow}
    )
    select greatest(0, ceil(extract(epoch from ${availableAt}::timestamptz - app_now()) * 1000))::int8 as "delayMs",
      q.at as "quarantinedAt", q.reason as "quarantineReason",
      (select concurrency from workflow) as concurrency,
      case when (select concurrency from workflow) is null then 0
        else (select count(*)::int from threads where workflow = ${workflow} and status = 'running') end as running,
      (select count(*)::int from living where draining) as draining,
      (select coalesce(json_agg(json_build_object('labels', l.labels, 'permissions', l.permissions, 'capacity', l.capacity,
          'held', coalesce(h.held, 0))), '[]') from living l left join held h on h.runner = l.id where not l.draining) as runners,
      (select count(*)::int from (
        select t.priority, t.id from threads t where t.status = 'queued' and t.available_at <= app_now()
          order by t.priority desc, t.id limit ${READ_AHEAD}) first
        where first.priority > ${priority} or (first.priority = ${priority} and first.id < ${id})) as ahead
    from (select 1) one left join quarantines q on q.bundle = ${bundle} and q.lifted_at is null`)
  const row = rows[0]
  if (row === undefined) throw new Error('a select from one row gives one row')
  return row
}
