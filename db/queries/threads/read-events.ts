import { and, asc, eq, gt, lte } from 'drizzle-orm'
import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'
import { threadEvents, threadLogs } from '@/db/schema/threads'

export type EventRow = typeof threadEvents.$inferSelect
export type LogRow = typeof threadLogs.$inferSelect

type Range = { thread: string; after: number; upTo: number; limit: number }

/** Lifecycle events by `seq`. */
export async function readEvents(q: Queryable, { thread, after, upTo, limit }: Range): Promise<EventRow[]> {
  const { seq, thread: id } = threadEvents
  const wanted = and(eq(id, thread), gt(seq, after), lte(seq, upTo))
  return mapped(q.orm.select().from(threadEvents).where(wanted).orderBy(asc(seq)).limit(limit))
}

/** Log lines by `seq`. */
export async function readLogs(q: Queryable, { thread, after, upTo, limit }: Range): Promise<LogRow[]> {
  const { seq, thread: id } = threadLogs
  const wanted = and(eq(id, thread), gt(seq, after), lte(seq, upTo))
  return mapped(q.orm.select().from(threadLogs).where(wanted).orderBy(asc(seq)).limit(limit))
}
