import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'

/**
 * A number that grows with every committed write to `threads`: row counters that the server keeps anyway, so it costs the
 * same at any size. It may lag behind by some seconds: it is what remains when a notification is lost.
 */
export async function readChangeCount({ sql }: Queryable): Promise<number> {
  const rows = await mapped(sql<{ count: number }[]>`
    select pg_stat_get_tuples_inserted(oid) + pg_stat_get_tuples_updated(oid) + pg_stat_get_tuples_deleted(oid) as count
    from pg_class where oid = 'threads'::regclass`)
  return rows[0]?.count ?? 0
}
