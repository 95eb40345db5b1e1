import { performance } from 'node:perf_hooks'
import type { Database } from '@/db/client'
import { retryable } from '@/db/errors'
import {
  type Appended,
  appendSteps,
  type ContentRow,
  notifyChange,
  putContents,
  type StepRow,
} from '@/db/queries/threads/append-steps'
import { LeaseLost } from '@/server/kernel/errors'
import { log } from '@/server/kernel/log'
import { testPoint } from '@/server/kernel/test-point'
import type { DatabaseClock } from './database-clock'
import { isHeld, type Lease } from './lease'

type Entry = {
  lease: Lease
  step: StepRow | null
  contents: ContentRow[]
  resolve(appended: Appended | null): void
  reject(error: unknown): void
}

/** A statement stays well below what makes parsing one parameter slow. */
const MAX_FLUSH_ENTRIES = 256
const MAX_FLUSH_CHARACTERS = 8 * 1024 * 1024
const RETRY_MS = { first: 25, most: 1_000 }
/** Web processes are told of changes at most this often; the last change of a burst is always told. */
const NOTIFY_MS = 10

/**
 * Writes what all threads of a runner have pending in as few commits as their speed allows. A thread waits only for its own
 * flush. After a lost connection a flush is repeated (the statement finds its own earlier success) for as long as the
 * leases hold.
 */
export class Appender {
  private pending: Entry[] = []
  private readonly idle: Database[]
  private scheduled = false
  /** Writes refused because the lease was gone, since the last `takeStaleWrites`. */
  private stale = 0
  private lastNotify = 0
  private notifyTimer: NodeJS.Timeout | undefined

  /**
   * `lanes`: pools of one connection each, as many as there may be statements under way; what else is pending meanwhile
   * gathers for the next one. The first lane is preferred, so that one busy thread always meets the same warm backend.
   */
  constructor(
    private readonly lanes: readonly [Database, ...Database[]],
    private readonly runner: string,
    private readonly clock: DatabaseClock,
  ) {
    this.idle = [...lanes].reverse()
  }

  /** Appends a node with the contents that it needs. Rejects with LeaseLost, or with what is wrong with these rows. */
  async append(lease: Lease, step: StepRow, contents: ContentRow[]): Promise<Appended> {
    const appended = await this.enqueue(lease, step, contents)
    if (appended === null) throw new LeaseLost(lease.thread)
    return appended
  }

  /** Stores contents that no node refers to yet. */
  async put(lease: Lease, contents: ContentRow[]): Promise<void> {
    await this.enqueue(lease, null, contents)
  }

  takeStaleWrites(): number {
    const { stale } = this
    this.stale = 0
    return stale
  }

  /** Puts back what could not be told. */
  addStaleWrites(count: number): void {
    this.stale += count
  }

  private enqueue(lease: Lease, step: StepRow | null, contents: ContentRow[]): Promise<Appended | null> {
    return new Promise((resolve, reject) => {
      this.pending.push({ lease, step, contents, resolve, reject })
      if (this.scheduled) return
      this.scheduled = true
      // After all messages of this turn were taken in, so that they share a statement.
      process.nextTick(() => {
        this.scheduled = false
        this.pump()
      })
    })
  }

  private pump(): void {
    while (this.pending.length > 0) {
      const lane = this.idle.pop()
      if (lane === undefined) return
      void this.flush(lane, this.takeBatch()).finally(() => {
        // The first lane is on top whenever it is idle.
        if (lane === this.lanes[0]) this.idle.push(lane)
        else this.idle.unshift(lane)
        this.pump()
      })
    }
  }

  private takeBatch(): Entry[] {
    let characters = 0
    let count = 0
    for (const entry of this.pending) {
      for (const content of entry.contents) characters += content.body.length
      if (count > 0 && (count >= MAX_FLUSH_ENTRIES || characters > MAX_FLUSH_CHARACTERS)) break
      count += 1
    }
    return this.pending.splice(0, count)
  }

  private async flush(lane: Database, batch: Entry[]): Promise<void> {
    let entries = batch
    for (let wait = RETRY_MS.first; ; wait = Math.min(wait * 2, RETRY_MS.most)) {
      entries = this.dropUnheld(entries)
      if (entries.length === 0) return
      try {
        await testPoint('append:before-flush')
        await this.write(lane, entries)
        return
      } catch (error) {
        if (retryable(error)) {
          await new Promise((resolve) => setTimeout(resolve, wait * (0.5 + Math.random() / 2)))
          continue
        }
        if (entries.length > 1) {
          // Some thread's rows are wrong: each alone, so that only that thread hears of it.
          for (const entry of entries) await this.flush(lane, [entry])
          return
        }
        for (const entry of entries) entry.reject(error)
        return
      }
    }
  }

  private async write(lane: Database, entries: Entry[]): Promise<void> {
    const steps = entries.flatMap((entry) => entry.step ?? [])
    const contents = entries.flatMap((entry) => entry.contents)
    if (steps.length === 0) {
      await putContents(lane, contents)
      for (const entry of entries) entry.resolve(null)
      return
    }
    const rows = await appendSteps(lane, { steps, contents, runner: this.runner, notify: this.notifyNow() })
    const byThread = new Map(rows.map((row) => [row.thread, row]))
    const first = rows[0]
    if (first !== undefined) this.clock.observe(first.nowMs)
    for (const entry of entries) {
      const row = entry.step === null ? undefined : byThread.get(entry.lease.thread)
      if (entry.step !== null && row === undefined) this.stale += 1
      entry.resolve(row ?? null)
    }
  }

  /** True when this flush is to notify; otherwise one that does, or the timer, follows soon. */
  private notifyNow(): boolean {
    const now = performance.now()
    if (now - this.lastNotify >= NOTIFY_MS) {
      this.lastNotify = now
      clearTimeout(this.notifyTimer)
      this.notifyTimer = undefined
      return true
    }
    this.notifyTimer ??= setTimeout(() => {
      this.notifyTimer = undefined
      this.lastNotify = performance.now()
      // Only a hint: who misses it finds the change at the next poll.
      notifyChange(this.lanes[0]).catch((error: unknown) => log.debug({ err: error }, 'a change was not notified'))
    }, NOTIFY_MS)
    return false
  }

  private dropUnheld(entries: Entry[]): Entry[] {
    const held = entries.filter((entry) => isHeld(entry.lease))
    for (const entry of entries) {
      if (held.includes(entry)) continue
      this.stale += 1
      entry.reject(new LeaseLost(entry.lease.thread))
    }
    return held
  }
}
