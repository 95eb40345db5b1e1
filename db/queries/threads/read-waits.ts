import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'
import type { threadInputs, waits } from '@/db/schema/waits'

export type WaitEntry = Omit<typeof waits.$inferSelect, 'thread'>
export type InputEntry = Omit<typeof threadInputs.$inferSelect, 'thread' | 'actorRole'>

// By hand: drizzle reads the text of a JSON string as JSON once more, which would make a number of the answer "5".

/**
 * What a thread waits for now; null when it waits for nothing. A wait that a role left behind (it ran again and did not ask
 * again) is of an earlier head, and nobody would read its answer.
 */
export async function readOpenWait(q: Queryable, thread: string): Promise<WaitEntry | null> {
  const rows = await mapped(
    q.sql<WaitEntry[]>`select ${columns(q)} from waits where thread = ${thread} and status = 'open'
        and starts_with(key, (select head || '.' from threads where id = ${thread})) limit 1`,
  )
  return rows[0] ?? null
}

/** Newest first. */
export async function readWaits(q: Queryable, thread: string, limit: number): Promise<WaitEntry[]> {
  return mapped(
    q.sql<
      WaitEntry[]
    >`select ${columns(q)} from waits where thread = ${thread} order by created_at desc, key desc limit ${limit}`,
  )
}

/** Newest first. */
export async function readInputs({ sql }: Queryable, thread: string, limit: number): Promise<InputEntry[]> {
  return mapped(sql<InputEntry[]>`
    select seq, name, value, subject, actor, wait, rejected, at from thread_inputs
    where thread = ${thread} order by seq desc limit ${limit}`)
}

function columns({ sql }: Queryable) {
  return sql`key, kind, status, name, prompt, schema, subject, answerers, wake_at as "wakeAt", targets, mode, answer,
    answered_by as "answeredBy", answered_at as "answeredAt", created_at as "createdAt"`
}
