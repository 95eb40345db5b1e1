import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'
import type { threadEvents, threadLogs } from '@/db/schema/threads'

/** Microseconds since the epoch, as exact as the database keeps time: two rows of one millisecond stay in order. */
type Timed = { micros: number }
export type EventRow = Omit<typeof threadEvents.$inferSelect, 'thread' | 'data'> & Timed
export type LogRow = Omit<typeof threadLogs.$inferSelect, 'thread'> & Timed

type Range = { thread: string; after: number; upTo: number; limit: number }

/** Lifecycle events by `seq`. */
export async function readEvents({ sql }: Queryable, { thread, after, upTo, limit }: Range): Promise<EventRow[]> {
  return mapped(sql<EventRow[]>`
    select seq, type, status, height, actor, reason, at, (extract(epoch from at) * 1000000)::bigint as micros
    from thread_events
    where thread = ${thread} and seq > ${after} and seq <= ${upTo}
    order by seq
    limit ${limit}`)
}

/** Log lines by `seq`. */
export async function readLogs({ sql }: Queryable, { thread, after, upTo, limit }: Range): Promise<LogRow[]> {
  return mapped(sql<LogRow[]>`
    select seq, height, level, tag, text, at, (extract(epoch from at) * 1000000)::bigint as micros
    from thread_logs
    where thread = ${thread} and seq > ${after} and seq <= ${upTo}
    order by seq
    limit ${limit}`)
}
