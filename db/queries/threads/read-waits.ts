import { and, desc, eq } from 'drizzle-orm'
import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'
import { threadInputs, waits } from '@/db/schema/waits'

export type WaitEntry = typeof waits.$inferSelect
export type InputEntry = typeof threadInputs.$inferSelect

/** What a thread waits for now; null when it waits for nothing. */
export async function readOpenWait(q: Queryable, thread: string): Promise<WaitEntry | null> {
  const rows = await mapped(
    q.orm
      .select()
      .from(waits)
      .where(and(eq(waits.thread, thread), eq(waits.status, 'open')))
      .limit(1),
  )
  return rows[0] ?? null
}

/** Newest first. */
export async function readWaits(q: Queryable, thread: string, limit: number): Promise<WaitEntry[]> {
  return mapped(
    q.orm
      .select()
      .from(waits)
      .where(eq(waits.thread, thread))
      .orderBy(desc(waits.createdAt), desc(waits.key))
      .limit(limit),
  )
}

/** Newest first. */
export async function readInputs(q: Queryable, thread: string, limit: number): Promise<InputEntry[]> {
  return mapped(
    q.orm
      .select()
      .from(threadInputs)
      .where(eq(threadInputs.thread, thread))
      .orderBy(desc(threadInputs.seq))
      .limit(limit),
  )
}
