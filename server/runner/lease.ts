import { performance } from 'node:perf_hooks'

/**
 * A runner's hold on one thread. `token` fences every write in the database; `validUntil` is this process's own bound by
 * its monotonic clock, counted from before the statement that gave the lease, so it always ends before the database's.
 */
export type Lease = { thread: string; token: number; validUntil: number }

export function isHeld(lease: Lease): boolean {
  return performance.now() < lease.validUntil
}
