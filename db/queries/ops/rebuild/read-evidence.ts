import { and, asc, eq, inArray } from 'drizzle-orm'
import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'
import { threadEvents, threads } from '@/db/schema/threads'

export type ThreadRow = typeof threads.$inferSelect
export type EventRow = typeof threadEvents.$inferSelect

/** Ids after `after`, of threads that have a row or an event. */
export async function nextIds({ sql }: Queryable, after: string, limit: number): Promise<string[]> {
  // One look into the index for each thread: a thread may have many events.
  const rows = await mapped(sql<{ id: string }[]>`
    with recursive told (thread, n) as (
      (select thread, 1 from thread_events where thread > ${after} order by thread limit 1)
      union all
      select (select e.thread from thread_events e where e.thread > told.thread order by e.thread limit 1), n + 1
      from told where told.thread is not null and n < ${limit}
    )
    select thread as id from told where thread is not null
    union (select id from threads where id > ${after} order by id limit ${limit})
    order by id limit ${limit}`)
  return rows.map(({ id }) => id)
}

/** The rows of these threads; `lock` shuts out who would change them. */
export async function readRows({ orm }: Queryable, ids: string[], lock: boolean): Promise<ThreadRow[]> {
  const query = orm.select().from(threads).where(inArray(threads.id, ids)).orderBy(asc(threads.id))
  return mapped(lock ? query.for('update') : query)
}

/** Their events, in order. */
export async function readEvents({ orm }: Queryable, ids: string[]): Promise<EventRow[]> {
  const { thread, seq } = threadEvents
  return mapped(orm.select().from(threadEvents).where(inArray(thread, ids)).orderBy(asc(thread), asc(seq)))
}

export type StartFacts = { hash: string; name: string; bundle: string; depth: number }

export async function readStarts({ sql }: Queryable, hashes: string[]): Promise<StartFacts[]> {
  return mapped(sql<StartFacts[]>`select hash, name, bundle, depth from start_nodes where hash = any(${hashes})`)
}

export type HeadFacts = {
  hash: string
  height: number
  /** Nodes from here down without markers and end nodes. */
  steps: number
  /** The chain leads down to the start node. */
  whole: boolean
  role: string
  /** Canonical bytes. */
  body: string
}

/** What the chains below these heads say. Walks every node of them. */
export async function readHeads({ sql }: Queryable, heads: string[]): Promise<HeadFacts[]> {
  return mapped(sql<HeadFacts[]>`
    with recursive walk (head, parent, height, role) as (
      select hash, parent, height, role from state_nodes where hash = any(${heads})
      union all
      select w.head, p.parent, p.height, p.role from walk w join state_nodes p on p.hash = w.parent where p.height = w.height - 1
    ), walked as (
      select head, bool_or(parent is null and height = 1) as whole,
        count(*) filter (where role not in ('__end__', '__fork__', '__retry__')) as steps
      from walk group by head
    )
    select h.hash, h.height, w.steps, w.whole, h.role, h.body from walked w join state_nodes h on h.hash = w.head`)
}

export type LogFacts = { lines: number; bytes: number }

/** `seq` of the newest line of each log, and its bytes as `append_logs` counts them. */
export async function readLogFacts({ sql }: Queryable, ids: string[]): Promise<Map<string, LogFacts>> {
  const rows = await mapped(sql<(LogFacts & { id: string })[]>`
    select thread as id, max(seq) as lines, sum(octet_length(text) + 64)::int8 as bytes
    from thread_logs where thread = any(${ids}) group by thread`)
  return new Map(rows.map(({ id, lines, bytes }) => [id, { lines, bytes }]))
}

/** Whether the runner that holds a thread still may: its lease is good. */
export async function holdsLease({ sql }: Queryable, id: string): Promise<boolean> {
  const rows = await mapped(sql<{ id: string }[]>`
    select id from threads where id = ${id} and status = 'running' and lease_expires_at > app_now()`)
  return rows.length > 0
}

/** Of these threads, the one whose row says that this is its head. */
export async function headOwners(
  { orm }: Queryable,
  start: string,
  heads: string[],
): Promise<{ id: string; head: string }[]> {
  const columns = { id: threads.id, head: threads.head }
  return mapped(
    orm
      .select(columns)
      .from(threads)
      .where(and(eq(threads.start, start), inArray(threads.head, heads))),
  )
}
