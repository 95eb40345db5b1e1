import type { Queryable } from '../../client'
import { mapped } from '../../errors'

export type Parked = 'paused' | 'kill' | 'go' | 'lost'

/**
 * A runner pauses its thread because somebody asked for it, or for the reason `forced` (`park_thread` in the migrations). `kill`: that is
 * asked of it now; `go`: nothing is; `lost`: it is not this runner's any more, perhaps by an earlier try of this call.
 */
export async function parkThread(
  { sql }: Queryable,
  { runner, thread, token, forced }: { runner: string; thread: string; token: number; forced: string | null },
): Promise<Parked> {
  const rows = await mapped(
    sql<{ park_thread: Parked }[]>`select park_thread(${runner}, ${thread}, ${token}::bigint, ${forced})`,
  )
  return rows[0]?.park_thread ?? 'lost'
}
