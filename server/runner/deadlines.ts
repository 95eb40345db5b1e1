import type { ClaimedRow } from '@/db/queries/threads/claim-threads'
import type { Limits } from '@/server/threads/limits'

/** A timer counts no further than this; the ceiling of threadSeconds is above it, and no lease is held so long. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** The two clocks of a run: one for the thread, one for the role at work. `onExpire` is told which bound was crossed. */
export class Deadlines {
  private roleTimer: NodeJS.Timeout | undefined
  private threadTimer: NodeJS.Timeout | undefined

  constructor(
    private readonly limits: Pick<Limits, 'roleSeconds' | 'threadSeconds'>,
    private readonly onExpire: (why: string) => void,
  ) {}

  /** `now` is the database's clock in milliseconds. */
  start(
    { started_ms, idle_ms, deadline_ms }: Pick<ClaimedRow, 'started_ms' | 'idle_ms' | 'deadline_ms'>,
    now: number,
  ): void {
    const { roleSeconds, threadSeconds } = this.limits
    // Waiting for a person, or being paused, does not use it up.
    const byBound = started_ms + idle_ms + threadSeconds * 1000
    const byCaller = deadline_ms ?? Number.POSITIVE_INFINITY
    const why =
      byCaller < byBound ? 'its deadline passed' : `it ran longer than the bound threadSeconds (${threadSeconds})`
    const left = Math.max(0, Math.min(byBound, byCaller) - now)
    this.threadTimer = setTimeout(() => this.onExpire(why), Math.min(left, MAX_TIMER_MS))
    const whyRole = `a role ran longer than the bound roleSeconds (${roleSeconds})`
    this.roleTimer = setTimeout(() => this.onExpire(whyRole), roleSeconds * 1000)
  }

  /** A step is recorded: the next role has its time before it. */
  nextRole(): void {
    this.roleTimer?.refresh()
  }

  stop(): void {
    clearTimeout(this.roleTimer)
    clearTimeout(this.threadTimer)
  }
}
