import type { Queryable } from '../../client'
import { mapped } from '../../errors'

type Held = { id: string; token: number }

/** Extends the leases that a runner holds; answers with the threads that are still its own, and what is asked of them. */
export async function heartbeat(
  { sql }: Queryable,
  options: { runner: string; held: Held[]; leaseMs: number; staleWrites: number },
): Promise<{ thread: string; control: 'pause' | 'kill' | null; now_ms: number }[]> {
  const { runner, held, leaseMs, staleWrites } = options
  return mapped(
    sql<{ thread: string; control: 'pause' | 'kill' | null; now_ms: number }[]>`
      select * from heartbeat(${runner}, ${held.map((h) => h.id)}::text[], ${held.map((h) => h.token)}::bigint[],
        ${leaseMs}::int, ${staleWrites}::int)`,
  )
}

/** Gives threads back to the queue. `crashed` counts against them, `released` does not. */
export async function requeueThreads(
  { sql }: Queryable,
  options: { runner: string; held: Held[]; event: 'released' | 'crashed'; reason: string; delayMs: number },
): Promise<string[]> {
  const { runner, held, event, reason, delayMs } = options
  const rows = await mapped(
    sql<{ thread: string }[]>`
      select thread from requeue_threads(${runner}, ${held.map((h) => h.id)}::text[],
        ${held.map((h) => h.token)}::bigint[], ${event}, ${reason}, ${delayMs}::int)`,
  )
  return rows.map((row) => row.thread)
}
