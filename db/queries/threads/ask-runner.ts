import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'

type Control = 'pause' | 'kill' | null

/**
 * Asks something of the runner that holds a thread, or takes it back (`ask_runner` in the migrations). False: the thread is not
 * running, or something else than `from` is asked of it by now; nothing was written.
 */
export async function askRunner(
  { sql }: Queryable,
  ask: {
    thread: string
    from: Control
    to: Control
    event: 'pause_requested' | 'pause_cancelled' | 'kill_requested'
    actor: string
    reason: string | null
  },
): Promise<boolean> {
  const rows = await mapped(
    sql<{ done: boolean }[]>`
      select ask_runner(${ask.thread}, ${ask.from}, ${ask.to}, ${ask.event}, ${ask.actor}, ${ask.reason}) as done`,
  )
  return rows[0]?.done ?? false
}
