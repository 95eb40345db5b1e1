import type { Queryable } from '../../client'
import { mapped } from '../../errors'

/** What a runner is to do beside running what it has claimed: see `runner_orders` in the migrations. */
export type Order =
  | { kind: 'pause' | 'kill' | 'deadline'; thread: string; actor: string; reason: string | null; seq: null }
  | { kind: 'end'; thread: string; actor: string; reason: string; seq: number }
  | { kind: 'drain'; thread: null; actor: string | null; reason: null; seq: null }

export async function readOrders({ sql }: Queryable, runner: string): Promise<Order[]> {
  return mapped(sql<Order[]>`select kind, thread, actor, reason, seq from runner_orders(${runner})`)
}

/** A task is done. */
export async function deleteTask({ sql }: Queryable, seq: number): Promise<void> {
  await mapped(sql`delete from thread_tasks where seq = ${seq}::bigint`)
}
