import { setTimeout as pause } from 'node:timers/promises'
import { workersOf } from '@/server/runner/testing/processes'
import { type RunnerProcess, startRunnerProcess } from '@/server/runner/testing/runner-process'
import type { Random } from './random'

export type FleetCounts = {
  started: number
  killed: number
  frozen: number
  asked: number
  workersKilled: number
  withoutNotify: number
}

/** Short, so that what a killed runner held is taken over soon; long enough for a machine that does much else. */
const LEASE_MS = 10_000
const POLL_MS = 200

type Member = { runner: RunnerProcess; busy: boolean }

/** Runners that are replaced when they end. Each that starts has notifications switched off when the one before it had them on. */
export class Fleet {
  readonly counts: FleetCounts = { started: 0, killed: 0, frozen: 0, asked: 0, workersKilled: 0, withoutNotify: 0 }
  private readonly members = new Set<Member>()
  private readonly replacing = new Set<Promise<void>>()
  private over = false

  constructor(
    private readonly url: string,
    private readonly random: Random,
  ) {}

  async start(size: number): Promise<void> {
    await Promise.all(Array.from({ length: size }, () => this.launch()))
  }

  /** kill -9: its leases run out. */
  async kill(): Promise<boolean> {
    const member = this.free()
    if (member === undefined) return false
    this.counts.killed += 1
    await this.end(member, 'SIGKILL')
    return true
  }

  /** A clean stop: its threads are given back at once. */
  async ask(): Promise<boolean> {
    const member = this.free()
    if (member === undefined) return false
    this.counts.asked += 1
    await this.end(member, 'SIGTERM')
    return true
  }

  /** Stopped for less or more than a lease, then continued as if nothing had been. */
  async freeze(): Promise<boolean> {
    const member = this.free()
    if (member === undefined) return false
    this.counts.frozen += 1
    member.busy = true
    member.runner.signal('SIGSTOP')
    await pause(this.random.between(100, LEASE_MS * 2))
    member.runner.signal('SIGCONT')
    member.busy = false
    return true
  }

  /** kill -9 of one process of a worker, the launcher or the Node in it. */
  killWorker(): boolean {
    const member = this.free()
    const worker = member && this.random.pickAny(workersOf(member.runner.pid))
    if (worker === undefined) return false
    try {
      process.kill(worker.pid, 'SIGKILL')
      this.counts.workersKilled += 1
      return true
    } catch {
      return false // It ended by itself meanwhile.
    }
  }

  /** No more replacements; resolves when those under way are there. */
  async settle(): Promise<void> {
    while (this.replacing.size > 0) await Promise.all(this.replacing)
  }

  async stop(): Promise<void> {
    this.over = true
    await this.settle()
    await Promise.all([...this.members].map((member) => this.end(member, 'SIGTERM')))
  }

  private free(): Member | undefined {
    return this.random.pickAny([...this.members].filter((member) => !member.busy))
  }

  private async launch(): Promise<void> {
    const notifications = this.counts.started % 2 === 0 ? 'on' : 'off'
    this.counts.started += 1
    if (notifications === 'off') this.counts.withoutNotify += 1
    const runner = await startRunnerProcess(this.url, { leaseMs: LEASE_MS, pollMs: POLL_MS, notifications })
    this.members.add({ runner, busy: false })
  }

  private async end(member: Member, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    this.members.delete(member)
    member.runner.signal(signal)
    await member.runner.exited
    if (this.over) return
    const replacing = this.launch().finally(() => this.replacing.delete(replacing))
    this.replacing.add(replacing)
  }
}
