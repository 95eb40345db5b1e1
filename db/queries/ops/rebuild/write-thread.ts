import { eq, sql } from 'drizzle-orm'
import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'
import { threads } from '@/db/schema/threads'
import type { ThreadRow } from './read-evidence'

/**
 * Writes a thread's row anew, and takes its lease from whoever thinks to hold it: the token grows above every one that was given
 * (each claim, release and end has an event), and a thread that runs is one whose lease has run out.
 */
export async function writeThread(
  { orm }: Queryable,
  row: Omit<ThreadRow, 'leaseToken' | 'leaseExpiresAt'>,
  exists: boolean,
): Promise<void> {
  const lease = { leaseExpiresAt: row.status === 'running' ? sql`app_now()` : null }
  if (exists) {
    const leaseToken = sql`greatest(${threads.leaseToken}, ${row.eventSeq}::bigint) + 1`
    await mapped(
      orm
        .update(threads)
        .set({ ...row, ...lease, leaseToken })
        .where(eq(threads.id, row.id)),
    )
  } else {
    await mapped(orm.insert(threads).values({ ...row, ...lease, leaseToken: row.eventSeq + 1 }))
  }
}

export async function deleteThread({ orm }: Queryable, id: string): Promise<void> {
  await mapped(orm.delete(threads).where(eq(threads.id, id)))
}

/** Threads may be claimed, and pages may show other things, than before. */
export async function tellRebuilt({ orm }: Queryable): Promise<void> {
  await mapped(orm.execute(sql`select pg_notify('cairn_work', ''), pg_notify('cairn_change', '')`))
}
