import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'

/** Succeeds when the database answers and has been migrated. */
export async function ping({ sql }: Queryable): Promise<void> {
  await mapped(sql`select app_now() from threads limit 0`)
}

/** The database's clock. */
export async function databaseNow({ sql }: Queryable): Promise<Date> {
  const rows = await mapped(sql<{ now: Date }[]>`select app_now() as now`)
  const row = rows[0]
  if (row === undefined) throw new Error('a select of a constant gives one row')
  return row.now
}
