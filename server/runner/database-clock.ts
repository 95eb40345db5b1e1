import { performance } from 'node:perf_hooks'

/**
 * The database's time between round trips: the last answer's `now_ms` plus this process's monotonic clock. No wall clock
 * of a runner decides anything.
 */
export type DatabaseClock = {
  /** Takes the time that an answer carried. It was read before the answer arrived, so the clock runs late, never early. */
  observe(nowMs: number): void
  /** Milliseconds since the epoch. */
  now(): number
}

export function databaseClock(): DatabaseClock {
  let offset: number | undefined
  return {
    observe(nowMs) {
      offset = nowMs - performance.now()
    },
    now() {
      if (offset === undefined) throw new Error('The database clock is read before the first answer.')
      return Math.floor(offset + performance.now())
    },
  }
}
