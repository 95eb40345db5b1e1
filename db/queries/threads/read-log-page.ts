import { and, asc, eq, gt, inArray } from 'drizzle-orm'
import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'
import { threadLogs } from '@/db/schema/threads'

export type LogEntry = Omit<typeof threadLogs.$inferSelect, 'thread'>

/** Log lines of these levels after a `seq`, in their order. */
export async function readLogPage(
  { orm }: Queryable,
  {
    thread,
    after,
    levels,
    limit,
  }: { thread: string; after: number; levels: readonly LogEntry['level'][]; limit: number },
): Promise<LogEntry[]> {
  return mapped(
    orm
      .select()
      .from(threadLogs)
      .where(and(eq(threadLogs.thread, thread), gt(threadLogs.seq, after), inArray(threadLogs.level, [...levels])))
      .orderBy(asc(threadLogs.seq))
      .limit(limit),
  )
}
