import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'

/**
 * Pauses a thread that no runner holds, or takes a paused one back to the queue (`move_unheld` in the migrations). False: it is not
 * in the status `from` any more; nothing was written.
 */
export async function moveUnheld(
  { sql }: Queryable,
  move: {
    thread: string
    from: string
    to: 'paused' | 'queued'
    event: 'paused' | 'resumed'
    actor: string
    reason: string | null
  },
): Promise<boolean> {
  const rows = await mapped(
    sql<{ done: boolean }[]>`
      select move_unheld(${move.thread}, ${move.from}, ${move.to}, ${move.event}, ${move.actor}, ${move.reason}) as done`,
  )
  return rows[0]?.done ?? false
}
