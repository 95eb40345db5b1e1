import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { performance } from 'node:perf_hooks'
import { type Database, openDatabase } from '@/db/client'
import { retryable } from '@/db/errors'
import { listen } from '@/db/listen'
import { deleteTask, type Order, readOrders } from '@/db/queries/runners/orders'
import { insertRunner, markRunnerStopped } from '@/db/queries/runners/runner-rows'
import { claimThreads } from '@/db/queries/threads/claim-threads'
import { heartbeat } from '@/db/queries/threads/keep-leases'
import { initHash } from '@/server/cas/hash'
import { isAppError } from '@/server/kernel/errors'
import { log } from '@/server/kernel/log'
import { testPoint } from '@/server/kernel/test-point'
import { launcher } from '@/server/sandbox/launcher'
import { NODE_PERMISSIONS_LAYER } from '@/server/sandbox/node-flags'
import { endThread, killThread } from '@/server/threads/control/end-thread'
import { EXIT } from '@/server/threads/status'
import { Appender } from './appender'
import { databaseClock } from './database-clock'
import { commandsEnded } from './exec'
import { isHeld } from './lease'
import { LogWriter } from './log-writer'
import { Pump } from './pump'
import { type RunServices, ThreadRun } from './thread-run'
import { WorkerPool } from './worker-pool'

export type RunnerOptions = {
  /** Threads held at once, at most. */
  capacity: number
  leaseMs: number
  /** How often to look for work when nothing notified. */
  pollMs: number
  /** False switches LISTEN off: everything then goes at the pace of `pollMs`. */
  notifications: boolean
  version: string
  /** What a thread may ask for, beside being free. */
  labels: string[]
  /** Permissions that it gives, like exec:git, to bundles that were granted them; null means all. */
  permissions: string[] | null
}

export const RUNNER_DEFAULTS = {
  capacity: 100,
  leaseMs: 15_000,
  pollMs: 1_750,
  notifications: true,
  labels: [] as string[],
  permissions: null,
}

/** Waits are woken to the moment within this; those that are longer, at a poll. */
const MAX_ALARM_MS = 60_000
const MAX_ALARMS = 10_000
/** Leases are extended this many times while one lasts. */
const BEATS_PER_LEASE = 3
/** A runner that says nothing for three of these is taken for dead, whatever its leases. */
const MAX_BEAT_MS = 5_000

/**
 * Claims threads and runs them until `stop`. Everything it holds is in the database: kill it at any moment and another one
 * takes over when its leases have run out.
 */
export class Runner {
  readonly id = `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`
  private readonly runs = new Map<string, ThreadRun>()
  private readonly services: RunServices
  private readonly lanes: readonly [Database, Database]
  private readonly timers: NodeJS.Timeout[] = []
  private readonly listeners: { close(): Promise<void> }[] = []
  private readonly claims = new Pump(() => this.claim())
  private readonly orders = new Pump(() => this.obey())
  /** Somebody asked it to claim nothing more. */
  private draining = false
  private sweepDue = true
  private readonly alarms = new Set<NodeJS.Timeout>()
  private stopping: Promise<void> | undefined

  constructor(
    private readonly db: Database,
    private readonly options: RunnerOptions,
  ) {
    const clock = databaseClock()
    const lane = () => openDatabase(db.url, { purpose: 'runner', max: 1 })
    this.lanes = [lane(), lane()]
    this.services = {
      db,
      runner: this.id,
      clock,
      appender: new Appender(this.lanes, this.id, clock),
      logs: new LogWriter(db),
      pool: new WorkerPool(db),
      lookAtOrders: () => this.orders.ring(),
      wakeAt: (ms) => this.wakeAt(ms),
    }
  }

  get active(): number {
    return this.runs.size
  }

  async start(): Promise<void> {
    await initHash()
    const sandbox = [NODE_PERMISSIONS_LAYER, ...(await launcher()).layers]
    await insertRunner(this.db, {
      id: this.id,
      host: hostname(),
      pid: process.pid,
      version: this.options.version,
      nodeVersion: process.version,
      capacity: this.options.capacity,
      labels: this.options.labels,
      permissions: this.options.permissions,
      sandbox,
    })
    if (this.options.notifications) {
      this.listeners.push(
        await listen(this.db.url, 'cairn_work', () => this.claims.ring()),
        await listen(this.db.url, 'cairn_control', () => this.orders.ring()),
      )
    }
    const beatMs = Math.min(this.options.leaseMs / BEATS_PER_LEASE, MAX_BEAT_MS)
    this.timers.push(
      setInterval(() => {
        this.sweepDue = true
        this.claims.ring()
        // An idle runner looks at each heartbeat only: it asks the database less than once a second.
        if (this.runs.size > 0) this.orders.ring()
      }, this.options.pollMs),
      setInterval(() => void this.beat(), beatMs),
      setInterval(() => this.dropExpired(), Math.min(1_000, beatMs)),
    )
    this.claims.ring()
    log.info({ runner: this.id, sandbox }, 'runner started')
  }

  /** Gives every lease back at once, ends the workers, and says in the database that this runner is gone. */
  stop(): Promise<void> {
    this.stopping ??= this.shutDown()
    return this.stopping
  }

  private async claim(): Promise<void> {
    const free = this.options.capacity - this.runs.size
    if (free <= 0 || this.draining) return
    const sweep = this.sweepDue
    this.sweepDue = false
    const asked = performance.now()
    try {
      const rows = await claimThreads(this.db, {
        runner: this.id,
        capacity: free,
        leaseMs: this.options.leaseMs,
        sweep,
        labels: this.options.labels,
        permissions: this.options.permissions,
      })
      const first = rows[0]
      if (first !== undefined) this.services.clock.observe(first.now_ms)
      for (const row of rows) this.hold(new ThreadRun(this.services, row, asked + this.options.leaseMs))
      if (rows.length === free) this.claims.ring()
    } catch (error) {
      this.sweepDue ||= sweep
      if (retryable(error)) log.warn({ err: error }, 'claiming waits for the database')
      else log.error({ err: error }, 'claiming failed')
    }
  }

  private hold(run: ThreadRun): void {
    const { thread } = run.lease
    // A thread that comes back before its old run is over is another claim: the old one lost its lease.
    this.runs.get(thread)?.lose()
    this.runs.set(thread, run)
    void run.finished.then(() => {
      if (this.runs.get(thread) === run) this.runs.delete(thread)
      // A full runner has room again.
      if (this.runs.size === this.options.capacity - 1) this.claims.ring()
    })
    void run.start()
  }

  /** Does what is asked of its threads, and what is asked of whichever runner comes first. */
  private async obey(): Promise<void> {
    try {
      const orders = await readOrders(this.db, this.id)
      this.drain(orders.some((order) => order.kind === 'drain'))
      for (const order of orders) {
        try {
          await this.carryOut(order)
        } catch (error) {
          // It is still asked: the next look tries again.
          log.error({ err: error, order }, 'an order was not carried out')
        }
      }
    } catch (error) {
      log.warn({ err: error }, 'orders were not read')
    }
  }

  private async carryOut(order: Order): Promise<void> {
    switch (order.kind) {
      case 'kill':
        // Not awaited: it takes as long as the thread's grace.
        void this.runs.get(order.thread)?.kill(order.actor, order.reason)
        return
      case 'end':
        await testPoint('orders:before-end')
        await ifThere(killThread(this.db, { id: order.thread, actor: order.actor, reason: order.reason }))
        return deleteTask(this.db, order.seq)
      case 'deadline': {
        const end = { id: order.thread, returnCode: EXIT.deadline, summary: order.reason ?? '', actor: order.actor }
        await ifThere(endThread(this.db, end))
        return
      }
      // A pause takes effect at the next step or wait, whose statement finds it.
      case 'pause':
      case 'drain':
    }
  }

  private drain(draining: boolean): void {
    if (draining === this.draining) return
    this.draining = draining
    log.info({ runner: this.id, draining }, draining ? 'this runner claims nothing more' : 'this runner claims again')
    this.claims.ring()
  }

  /** For the wait of a thread that this runner gave up: any runner's poll would find it too, a little later. */
  private wakeAt(ms: number): void {
    const inMs = ms - this.services.clock.now()
    if (inMs > MAX_ALARM_MS || this.alarms.size >= MAX_ALARMS) return
    const alarm = setTimeout(() => {
      this.alarms.delete(alarm)
      this.claims.ring()
    }, Math.max(0, inMs) + 1)
    this.alarms.add(alarm)
  }

  private async beat(): Promise<void> {
    this.sweepDue = true
    this.orders.ring()
    const runs = [...this.runs.values()]
    const asked = performance.now()
    const staleWrites = this.services.appender.takeStaleWrites()
    try {
      const { held, draining, nowMs } = await heartbeat(this.db, {
        runner: this.id,
        held: runs.map((run) => ({ id: run.lease.thread, token: run.lease.token })),
        leaseMs: this.options.leaseMs,
        staleWrites,
      })
      if (nowMs !== null) this.services.clock.observe(nowMs)
      this.drain(draining)
      for (const run of runs) {
        if (held.has(run.lease.thread)) run.lease.validUntil = asked + this.options.leaseMs
        else run.loseUnlessEnding()
      }
    } catch (error) {
      this.services.appender.addStaleWrites(staleWrites)
      log.warn({ err: error }, 'a heartbeat was not written')
    }
  }

  /** Ends what this process may no longer hold, whether or not the database can be reached. */
  private dropExpired(): void {
    for (const run of this.runs.values()) if (!isHeld(run.lease)) run.lose()
  }

  private async shutDown(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer)
    for (const alarm of this.alarms) clearTimeout(alarm)
    await Promise.all(this.listeners.map((listener) => listener.close()))
    await Promise.all([this.claims.close(), this.orders.close()])
    await Promise.all([...this.runs.values()].map((run) => run.release('its runner was stopped')))
    this.services.pool.close()
    await commandsEnded()
    await this.services.logs.flush()
    await markRunnerStopped(this.db, this.id).catch((error: unknown) =>
      log.warn({ err: error }, 'the end of this runner was not written'),
    )
    await Promise.all(this.lanes.map((lane) => lane.close()))
    log.info({ runner: this.id }, 'runner stopped')
  }
}

/** A thread that was removed needs no end. */
async function ifThere(done: Promise<unknown>): Promise<void> {
  await done.catch((error: unknown) => {
    if (!isAppError(error, 'NOT_FOUND')) throw error
  })
}
