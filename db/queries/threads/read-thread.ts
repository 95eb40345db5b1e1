import { eq } from 'drizzle-orm'
import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'
import { threads } from '@/db/schema/threads'

export type ThreadRow = typeof threads.$inferSelect

export async function readThread(q: Queryable, id: string): Promise<ThreadRow | null> {
  const rows = await mapped(q.orm.select().from(threads).where(eq(threads.id, id)).limit(1))
  return rows[0] ?? null
}
