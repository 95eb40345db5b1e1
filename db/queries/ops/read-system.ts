import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'

export type SystemRow = {
  version: string
  /** Bytes on disk. */
  size: number
  now: Date
  /** Rows, as the planner estimates them: exact counts would read whole tables. */
  threads: number
  nodes: number
  blobs: number
  bundles: number
  workflows: number
  unfinished: Record<string, number>
  /** The queued thread that was started first, and since when a runner may take it. */
  oldestQueued: { id: string; since: string } | null
}

export async function readSystem({ sql }: Queryable, unfinished: readonly string[]): Promise<SystemRow> {
  const rows = await mapped(sql<SystemRow[]>`
    select current_setting('server_version') as version, pg_database_size(current_database()) as size, app_now() as now,
      pg_stat_get_live_tuples('threads'::regclass) as threads, pg_stat_get_live_tuples('state_nodes'::regclass) as nodes,
      pg_stat_get_live_tuples('blobs'::regclass) as blobs, pg_stat_get_live_tuples('bundles'::regclass) as bundles,
      (select count(*) from workflows where state = 'active') as workflows,
      (select coalesce(jsonb_object_agg(status, total), '{}') from (
        select status, count(*) as total from threads where status = any(${unfinished as string[]}) group by status
      ) s) as unfinished,
      (select jsonb_build_object('id', id, 'since', available_at) from threads where status = 'queued' order by id limit 1)
        as "oldestQueued"`)
  const row = rows[0]
  if (row === undefined) throw new Error('a select of constants gives one row')
  return row
}
