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
  /** Of the time since, spent paused and waiting. */
  idle_ms: number
  /** Of its log, stored by earlier runs. */
  log_bytes: number
  dry_run: boolean
  depth: number
  /** Asked of it before this claim. */
  control: 'pause' | 'kill' | null
  control_actor: string | null
  control_reason: string | null
  /** Who started it. */
  actor: string
  /** Null, as the prompt is, when the object is gone: the thread's history is damaged. */
  start_body: string | null
  start_digest: string | null
  prompt_body: string | null
  created_ms: number
  /** JSON of `workflows.grants` and `workflows.limits`; null when the workflow has no row. */
  grants: string | null
  limits: string | null
  now_ms: number
}

/**
 * Claims up to `capacity` threads (`claim_threads` in the migrations); `sweep` takes over expired leases first. `permissions`: what
 * this runner may give; null means all.
 */
export async function claimThreads(
  { sql }: Queryable,
  options: {
    runner: string
    capacity: number
    leaseMs: number
    sweep: boolean
    labels?: string[]
    permissions?: string[] | null
  },
): Promise<ClaimedRow[]> {
  const { runner, capacity, leaseMs, sweep, labels = [], permissions = null } = options
  return mapped(
    sql<ClaimedRow[]>`select * from claim_threads(${runner}, ${capacity}::int, ${leaseMs}::int, ${sweep}::boolean,
      ${labels}::text[], ${permissions}::text[])`,
  )
}
