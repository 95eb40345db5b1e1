import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'

/** What breaks an invariant: the id of a row, and a sentence about it. */
export type Violation = { id: string; message: string }

export type Look = {
  /** What has not been like this for longer, in seconds, may still be on its way. */
  settleSeconds: number
  /** A runner that was not heard of for longer is dead. */
  aliveSeconds: number
  /** Violations returned at most. */
  limit: number
}

/** Runners that live, are to claim, had time to, and have room: `free(id, labels, permissions)`. */
export function freeRunners({ sql }: Queryable, { aliveSeconds, settleSeconds }: Look) {
  return sql`
    free as (
      select r.id, r.labels, r.permissions from runners r
      where r.stopped_at is null and not r.draining and r.started_at <= app_now() - make_interval(secs => ${settleSeconds})
        and r.heartbeat_at > app_now() - make_interval(secs => ${aliveSeconds})
        and r.active < r.capacity
        and (select count(*) from threads h where h.status = 'running' and h.runner = r.id) < r.capacity
    )`
}

/**
 * The threads to look at when not all are: the newest ones, and the newest of each unfinished status. Newest first, so that the
 * first `newest` of them are those that changed most recently. All by indexes.
 */
export async function sampleThreads(
  { sql }: Queryable,
  { newest, ofStatus }: { newest: number; ofStatus: number },
): Promise<string[]> {
  const rows = await mapped(sql<{ id: string }[]>`
    (select id from threads order by id desc limit ${newest})
    union (select id from threads where status = 'running' order by id desc limit ${ofStatus})
    union (select id from threads where status = 'queued' order by id desc limit ${ofStatus})
    union (select id from threads where status = 'paused' order by id desc limit ${ofStatus})
    union (select id from threads where status = 'waiting' order by id desc limit ${ofStatus})
    order by id desc`)
  return rows.map(({ id }) => id)
}

/** Threads after `after`, by id. */
export async function nextThreads({ sql }: Queryable, after: string, limit: number): Promise<string[]> {
  const rows = await mapped(
    sql<{ id: string }[]>`select id from threads where id > ${after} order by id limit ${limit}`,
  )
  return rows.map(({ id }) => id)
}
