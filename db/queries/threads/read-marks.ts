import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'
import type { ThreadRow } from './read-thread'

/**
 * How far a thread is. Nodes, events and logs only grow, so everything up to a mark can be read later, in any number of
 * statements, and is one consistent state.
 */
export type ThreadMark = Pick<
  ThreadRow,
  'id' | 'status' | 'start' | 'head' | 'height' | 'steps' | 'eventSeq' | 'logSeq' | 'createdAt'
>

/** Threads that do not exist are left out. */
export async function readMarks({ sql }: Queryable, ids: readonly string[]): Promise<ThreadMark[]> {
  return mapped(sql<ThreadMark[]>`
    select id, status, start, head, height, steps, event_seq as "eventSeq", log_seq as "logSeq", created_at as "createdAt"
    from threads
    where id = any(${ids as string[]})`)
}
