import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'

/** Succeeds when the database answers and has been migrated. */
export async function ping({ sql }: Queryable): Promise<void> {
  await mapped(sql`select app_now() from threads limit 0`)
}
