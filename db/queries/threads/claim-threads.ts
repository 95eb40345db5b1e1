import type { Queryable } from '../../client'
import { mapped } from '../../errors'

/** All that a run begins with. Times are milliseconds by the database's clock, digests hex. */
export type ClaimedRow = {
  id: string
  token: number
  workflow: string
  bundle: string
  start: string
  head: string
  height: number
  steps: number
  crashes: number
  attempt: number
  max_rounds: number | null
  deadline_ms: number | null
  started_ms: number
  dry_run: boolean
  depth: number
  start_body: string
  start_digest: string
  prompt_body: string
  created_ms: number
  /** JSON of `workflows.grants` and `workflows.limits`; null when the workflow has no row. */
  grants: string | null
  limits: string | null
  now_ms: number
}

/** Claims up to `capacity` threads (`claim_threads` in the migrations); `sweep` takes over expired leases first. */
export async function claimThreads(
  { sql }: Queryable,
  options: { runner: string; capacity: number; leaseMs: number; sweep: boolean },
): Promise<ClaimedRow[]> {
  const { runner, capacity, leaseMs, sweep } = options
  return mapped(
    sql<ClaimedRow[]>`select * from claim_threads(${runner}, ${capacity}::int, ${leaseMs}::int, ${sweep}::boolean)`,
  )
}
