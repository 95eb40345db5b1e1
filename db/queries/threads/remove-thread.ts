import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'

/**
 * Removes a thread in the status `from`, with its waits, inputs and logs (`remove_thread` in the migrations); its nodes and events
 * stay. False: it is not in that status any more; nothing was written.
 */
export async function removeThreadRow(
  { sql }: Queryable,
  remove: { thread: string; from: string; actor: string; reason: string | null },
): Promise<boolean> {
  const rows = await mapped(
    sql<{ done: boolean }[]>`
      select remove_thread(${remove.thread}, ${remove.from}, ${remove.actor}, ${remove.reason}) as done`,
  )
  return rows[0]?.done ?? false
}
