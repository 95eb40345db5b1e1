import type { Queryable } from '../../client'
import { mapped } from '../../errors'

type Held = { id: string; token: number }

/**
 * Extends the leases that a runner holds; answers with the threads that are still its own, what is asked of them, whether the
 * runner is to claim nothing more, and the database's time.
 */
export async function heartbeat(
  { sql }: Queryable,
  options: { runner: string; held: Held[]; leaseMs: number; staleWrites: number },
): Promise<{ held: Set<string>; draining: boolean; nowMs: number | null }> {
  const { runner, held, leaseMs, staleWrites } = options
  const rows = await mapped(
    sql<{ thread: string | null; control: string | null; now_ms: number }[]>`
      select * from heartbeat(${runner}, ${held.map((h) => h.id)}::text[], ${held.map((h) => h.token)}::bigint[],
        ${leaseMs}::int, ${staleWrites}::int)`,
  )
  return {
    held: new Set(rows.flatMap((row) => row.thread ?? [])),
    draining: rows.some((row) => row.thread === null && row.control === 'drain'),
    nowMs: rows[0]?.now_ms ?? null,
  }
}

/** Gives threads back to the queue. `crashed` counts against them, `released` does not. */
export async function requeueThreads(
  { sql }: Queryable,
  options: {
    runner: string
    held: Held[]
    event: 'released' | 'crashed'
    reason: string
    delayMs: number
    /** Which worker was lost: threads that were in one crashed once, together. */
    worker?: string
  },
): Promise<string[]> {
  const { runner, held, event, reason, delayMs, worker = null } = options
  const rows = await mapped(
    sql<{ thread: string }[]>`
      select thread from requeue_threads(${runner}, ${held.map((h) => h.id)}::text[],
        ${held.map((h) => h.token)}::bigint[], ${event}, ${reason}, ${delayMs}::int, ${worker})`,
  )
  return rows.map((row) => row.thread)
}
