import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'
import type { runners } from '@/db/schema/runners'

export type RunnerRow = Omit<typeof runners.$inferSelect, 'nodeVersion'> & { alive: boolean }

/** Runners that were heard of in the last day, living ones first, 200 at most. */
export async function readRunners({ sql }: Queryable, aliveSeconds: number): Promise<RunnerRow[]> {
  return mapped(sql<RunnerRow[]>`
    select id, host, pid, version, capacity, active, labels, sandbox, started_at as "startedAt",
      heartbeat_at as "heartbeatAt", stopped_at as "stoppedAt", stale_writes as "staleWrites",
      stopped_at is null and heartbeat_at > app_now() - make_interval(secs => ${aliveSeconds}) as alive
    from runners
    where heartbeat_at > app_now() - interval '1 day'
    order by alive desc, heartbeat_at desc
    limit 200`)
}
