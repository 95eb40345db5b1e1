import { asc, desc, eq } from 'drizzle-orm'
import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'
import { registryEvents } from '@/db/schema/registry'
import type { EventRow } from './append-event'

export type HistoryRow = Omit<EventRow, 'data' | 'workflow'> & { total: number; completed: number; failed: number }

/** Newest first, with the threads of this workflow that ran on `after`. */
export async function readHistory(
  { sql }: Queryable,
  { name, before, limit }: { name: string; before: number | undefined; limit: number },
): Promise<HistoryRow[]> {
  return mapped(sql<HistoryRow[]>`
    with page as (
      select seq, type, before, after, actor, note, at from registry_events
      where workflow = ${name} ${before === undefined ? sql`` : sql`and seq < ${before}`}
      order by seq desc
      limit ${limit}
    ), counts as (
      select t.bundle, count(*) as total, count(*) filter (where t.status = 'completed') as completed,
        count(*) filter (where t.status = 'failed') as failed
      from threads t
      where t.workflow = ${name} and t.bundle in (select after from page)
      group by t.bundle
    )
    select page.*, coalesce(c.total, 0) as total, coalesce(c.completed, 0) as completed, coalesce(c.failed, 0) as failed
    from page left join counts c on c.bundle = page.after
    order by page.seq desc`)
}

export async function latestEvent({ orm }: Queryable, name: string): Promise<EventRow | null> {
  const { workflow, seq } = registryEvents
  const rows = await mapped(orm.select().from(registryEvents).where(eq(workflow, name)).orderBy(desc(seq)).limit(1))
  return rows[0] ?? null
}

/** Oldest first, from the beginning. */
export async function readAllEvents({ orm }: Queryable, name: string): Promise<EventRow[]> {
  const { workflow, seq } = registryEvents
  return mapped(orm.select().from(registryEvents).where(eq(workflow, name)).orderBy(asc(seq)))
}
