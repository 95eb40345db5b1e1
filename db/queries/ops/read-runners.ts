import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'
import type { runners } from '@/db/schema/runners'

export type RunnerRow = typeof runners.$inferSelect & { alive: boolean }

/** Runners that were heard of in the last day, living ones first, 200 at most. */
export async function readRunners({ sql }: Queryable, aliveSeconds: number): Promise<RunnerRow[]> {
  return mapped(sql<RunnerRow[]>`
    select id, host, pid, version, node_version as "nodeVersion", capacity, active, labels, permissions, sandbox, draining,
      drained_by as "drainedBy", started_at as "startedAt", heartbeat_at as "heartbeatAt", stopped_at as "stoppedAt",
      stale_writes as "staleWrites",
      stopped_at is null and heartbeat_at > app_now() - make_interval(secs => ${aliveSeconds}) as alive
    from runners
    where heartbeat_at > app_now() - interval '1 day'
    order by alive desc, heartbeat_at desc
    limit 200`)
}

/** Sets who drains a runner, or that nobody does, and tells the runners. Who drained it first stays. Changes nothing of a stopped one. */
export async function setDraining(
  { sql }: Queryable,
  id: string,
  by: string | null,
): Promise<{ draining: boolean; drainedBy: string | null; stopped: boolean } | undefined> {
  const rows = await mapped(sql<{ draining: boolean; drainedBy: string | null; stopped: boolean }[]>`
    with set as (
      update runners set draining = ${by !== null}, drained_by = ${by}
      where id = ${id} and stopped_at is null and draining <> ${by !== null}
      returning id, draining, drained_by, pg_notify('cairn_control', ''), pg_notify('cairn_work', '')
    )
    select coalesce(s.draining, r.draining) as draining, case when s.id is null then r.drained_by else s.drained_by end as "drainedBy",
      r.stopped_at is not null as stopped
    from runners r left join set s on s.id = r.id where r.id = ${id}`)
  return rows[0]
}
