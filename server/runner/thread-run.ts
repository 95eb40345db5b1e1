import type { Database } from '@/db/client'
import { retryable, retrySafe } from '@/db/errors'
import type { ClaimedRow } from '@/db/queries/threads/claim-threads'
import { requeueThreads } from '@/db/queries/threads/keep-leases'
import { parkThread } from '@/db/queries/threads/park-thread'
import { workerCrashed } from '@/db/queries/threads/worker-crashed'
import type { Json } from '@/sdk/types'
import { isAppError, LeaseLost, messageOf, Suspended } from '@/server/kernel/errors'
import { log } from '@/server/kernel/log'
import { testPoint } from '@/server/kernel/test-point'
import type { WorkerExit } from '@/server/sandbox/worker-process'
import { killSummary } from '@/server/threads/control/end-thread'
import type { Limits } from '@/server/threads/limits'
import { EXIT } from '@/server/threads/status'
import type { Appender } from './appender'
import { BundleCalls, type CallMessage } from './bundle-calls'
import type { DatabaseClock } from './database-clock'
import { Deadlines } from './deadlines'
import type { Lease } from './lease'
import { loadContext } from './load-context'
import type { LogWriter } from './log-writer'
import { Recorder, type Wrong } from './recorder'
import { completionSchema, whatIsWrong } from './role-output'
import { grantsOf, limitsOf } from './run-settings'
import { RunWorker } from './run-worker'
import { ThreadLog } from './thread-log'
import { Waiting } from './waiting'
import { type RunListener, type RunMessage, WorkerLost, type WorkerPool } from './worker-pool'

export type RunServices = {
  db: Database
  runner: string
  appender: Appender
  logs: LogWriter
  clock: DatabaseClock
  pool: WorkerPool
  /** Something is asked of a thread: look at what, soon. */
  lookAtOrders(): void
  /** Look for work again at this time (ms, by the database's clock). */
  wakeAt(ms: number): void
}

/** `over`: nothing that the worker says counts any more. */
type State = 'running' | 'ending' | 'over'

/** Delay before a crashed thread is tried again, by crashes in a row. */
const crashDelayMs = (crashes: number) => Math.min(100 * 2 ** crashes, 60_000)
/** Before a thread goes on that was given back because the database could not be reached. */
const DATABASE_DELAY_MS = 500

/**
 * One thread for as long as this runner holds its lease: gives the worker what it asks for, appends what the generator
 * yields, and writes the end node on every ending. `finished` resolves when the thread is no longer this runner's.
 */
export class ThreadRun implements RunListener {
  readonly finished: Promise<void>
  readonly lease: Lease
  private readonly limits: Limits
  private readonly abort = new AbortController()
  private readonly recorder: Recorder
  private readonly log: ThreadLog
  private readonly calls: BundleCalls
  private readonly waiting: Waiting
  private readonly worker: RunWorker
  private readonly deadlines: Deadlines
  private state: State = 'running'
  /** It is to be killed: what the generator does from now on counts no more. */
  private killing = false
  /** The same, asked before the history was loaded: by whom, and why. */
  private askedEarly: [actor: string, reason: string | null] | undefined
  private crashes: number
  private lost = false
  private settle: () => void = () => undefined
  /** Messages that change the chain are handled one after the other. */
  private tail: Promise<void> = Promise.resolve()

  constructor(
    private readonly services: RunServices,
    private readonly claimed: ClaimedRow,
    validUntil: number,
  ) {
    this.lease = { thread: claimed.id, token: claimed.token, validUntil }
    this.limits = limitsOf(claimed)
    this.recorder = new Recorder(services, this.lease, this.limits, claimed.steps)
    this.log = new ThreadLog(services.logs, this.lease, this.limits.logBytes, claimed.log_bytes)
    this.worker = new RunWorker(claimed.id, this.limits.abortGraceSeconds * 1000)
    this.waiting = new Waiting(services.db, services.runner, this.lease, claimed)
    this.calls = new BundleCalls({
      thread: claimed.id,
      grants: grantsOf(claimed),
      limits: this.limits,
      dryRun: claimed.dry_run,
      signal: this.abort.signal,
      contents: this.recorder.contents,
      log: this.log,
      inOrder: (work) => this.inOrder(work),
      wait: (args) => this.wait(args),
      startChild: (args) => this.waiting.startChild(args, this.recorder.head),
      onTrouble: (error) => this.queue(() => this.failWith(error)),
    })
    this.deadlines = new Deadlines(this.limits, (why) => this.queue(() => this.end(EXIT.deadline, why)))
    this.crashes = claimed.crashes
    this.finished = new Promise((resolve) => {
      this.settle = resolve
    })
  }

  /** Loads the history, gets a worker, and starts the generator. Never throws: every ending is written or given back. */
  async start(): Promise<void> {
    try {
      await testPoint('run:before-load')
      const { thread, chain } = await loadContext(this.services.db, this.claimed)
      this.recorder.chain = chain
      if (this.askedEarly !== undefined) return await this.kill(...this.askedEarly)
      const { control, control_actor, control_reason, bundle, id, dry_run } = this.claimed
      if (control === 'kill') return await this.kill(control_actor ?? 'unknown', control_reason)
      if (control === 'pause' && !(await this.goesOn())) return
      if (this.crashes >= this.limits.crashes) {
        return await this.end(
          EXIT.gaveUp,
          `gave up after ${this.crashes} crashes in a row, the bound crashes is ${this.limits.crashes}`,
        )
      }
      const worker = await this.services.pool.acquire({
        bundle,
        memoryMegabytes: this.limits.workerMegabytes,
        only: (await this.isSuspect()) ? id : null,
      })
      if (this.state !== 'running' || this.killing) return
      this.worker.attach(worker, this)
      this.deadlines.start(this.claimed, this.services.clock.now())
      this.worker.send({ type: 'run', thread, head: chain.head, start: chain.start.hash, dryRun: dry_run })
    } catch (error) {
      if (error instanceof WorkerLost) this.onExit(error.exit)
      else await this.failWith(error)
    }
  }

  /**
   * A thread whose worker was lost gets one of its own. Not one whose runner was lost: all that it held would come at once,
   * and each start a process.
   */
  private async isSuspect(): Promise<boolean> {
    return this.crashes > 0 && workerCrashed(this.services.db, this.claimed.id, this.claimed.height)
  }

  /** Somebody asks for the end of the thread. Resolves when its end is written, or when that is no longer this run's to do. */
  async kill(actor: string, reason: string | null): Promise<void> {
    if (this.state !== 'running' || this.killing) return
    if (this.recorder.chain === undefined) {
      // Its end goes onto the history, which is being loaded.
      this.askedEarly = [actor, reason]
      return
    }
    this.killing = true
    const summary = killSummary(actor, reason)
    this.abort.abort()
    this.queue(async () => {
      await Promise.all([this.worker.stop({ type: 'abort', reason: summary }), this.calls.commandsEnded()])
      await testPoint('kill:before-end')
      await this.end(EXIT.killed, summary)
    })
    await this.tail
  }

  onMessage(message: RunMessage, bytes: number): void {
    if (message.type === 'over') {
      this.worker.over()
      return
    }
    if (this.state !== 'running' || this.killing) {
      if (this.lost && WRITES.has(message.type)) this.services.appender.addStaleWrites(1)
      return
    }
    if (message.type === 'log') this.log.add(message.level, message.tag, message.text)
    else if (message.type === 'call') void this.answer(message)
    else {
      const { backlog } = this.worker
      backlog(bytes)
      this.queue(() => this.handle(message).finally(() => backlog(-bytes)))
    }
  }

  onOutput(text: string): void {
    this.log.add('info', 'output', text)
  }

  onExit(exit: WorkerExit): void {
    this.worker.over()
    this.queue(async () => {
      if (this.state !== 'running' || this.killing) return
      if (exit.planned) return this.giveBack('released', `its worker was ended: ${exit.reason}`, 0)
      if (exit.stderr !== '') this.log.add('error', 'stderr', exit.stderr)
      await this.crash(`its worker was lost: ${exit.reason}`, exit.pid)
    })
  }

  /** Gives the thread back to the queue without blame; resolves when that is written or was too late. */
  async release(reason: string): Promise<void> {
    this.queue(() => this.giveBack('released', reason, 0))
    await this.tail
  }

  /** The lease is gone: whatever runs is ended and nothing is written. */
  lose(): void {
    if (this.state === 'over') return
    log.warn({ thread: this.lease.thread }, 'lost the lease of a thread')
    this.lost = true
    this.over({ type: 'abort', reason: 'the lease was lost' })
  }

  /** For a heartbeat that did not find the lease: while the end is being written, that write may be what gave it up. */
  loseUnlessEnding(): void {
    if (this.state === 'running') this.lose()
  }

  /** After what came before it. What it throws is the caller's to handle. */
  private inOrder<T>(work: () => Promise<T>): Promise<T> {
    const done = this.tail.then(work)
    this.tail = done.then(
      () => undefined,
      () => undefined,
    )
    return done
  }

  private queue(work: () => Promise<void>): void {
    this.tail = this.tail.then(work).catch((error: unknown) => this.failWith(error))
  }

  private async handle(message: Extract<RunMessage, { type: 'put' | 'append' | 'done' | 'failed' }>): Promise<void> {
    if (this.state !== 'running' || this.killing) return
    switch (message.type) {
      case 'put':
        return this.endIfWrong(await this.recorder.put(message.contents))
      case 'append': {
        const wrong = await this.recorder.put(message.contents)
        return wrong === null ? this.append(message.output) : this.endIfWrong(wrong)
      }
      case 'done': {
        const completion = completionSchema.safeParse(message.completion)
        if (!completion.success) {
          return this.end(
            EXIT.failed,
            `the workflow returned no completion {returnCode: 0–123, summary}: ${whatIsWrong(completion.error)}`,
          )
        }
        return this.end(completion.data.returnCode, completion.data.summary)
      }
      case 'failed': {
        if (message.error.stack !== null) this.log.add('error', 'stack', message.error.stack)
        return this.end(EXIT.failed, `${message.error.name}: ${message.error.message}`)
      }
    }
  }

  private endIfWrong(result: Wrong | null): Promise<void> | undefined {
    return result === null ? undefined : this.end(EXIT.failed, result.wrong)
  }

  private async append(output: unknown): Promise<void> {
    const step = await this.recorder.step(output, this.claimed.max_rounds ?? this.limits.maxRounds)
    if ('wrong' in step) return this.endIfWrong(step)
    this.crashes = 0
    this.waiting.nextRole()
    // The generator stays at its yield until it is told of the step: a thread that is to stop goes no further.
    if (step.control === 'kill') return this.services.lookAtOrders()
    if (step.control === 'pause' && !(await this.goesOn())) return
    this.deadlines.nextRole()
    this.worker.send({ type: 'appended', head: step.node.hash, timestamp: step.node.timestamp })
  }

  /** Writes the end node. Everything that the thread has said is stored before. */
  private async end(returnCode: number, summary: string): Promise<void> {
    if (this.state !== 'running') return
    this.state = 'ending'
    this.deadlines.stop()
    await this.log.flush()
    await this.recorder.end(returnCode, summary)
    this.over({ type: 'abort', reason: summary })
  }

  private async crash(reason: string, worker: number): Promise<void> {
    const crashes = this.crashes + 1
    if (crashes >= this.limits.crashes) {
      return this.end(EXIT.gaveUp, `gave up after ${crashes} crashes in a row (bound crashes): ${reason}`)
    }
    await this.giveBack('crashed', reason, crashDelayMs(this.crashes), `${this.services.runner}.${worker}`)
  }

  /** Pauses the thread, which somebody asked for, or for the reason `forced`. True when nobody asks for it any more. */
  private async goesOn(forced: string | null = null): Promise<boolean> {
    if (this.state !== 'running' || this.killing) return false
    this.state = 'ending'
    await this.log.flush()
    const { db, runner } = this.services
    const { thread, token } = this.lease
    await testPoint('pause:before-park')
    const parked = await retrySafe(() => parkThread(db, { runner, thread, token, forced }))
    if (parked === 'lost') this.lose()
    if (parked === 'paused') this.over({ type: 'suspended' })
    if (parked === 'lost' || parked === 'paused') return false
    this.state = 'running'
    if (parked === 'kill') this.services.lookAtOrders()
    return parked === 'go'
  }

  /** A role waits: what it has stored must be there for whoever answers, and then the thread needs no runner. */
  private async wait(args: unknown): Promise<Json> {
    await this.log.flush()
    await this.recorder.storeContents()
    const waited = await this.waiting.wait(args, this.recorder.head)
    if ('answer' in waited) return waited.answer
    if (waited.stopped === 'kill') this.services.lookAtOrders()
    if (waited.stopped === 'suspended') {
      if (waited.wakeMs !== null) this.services.wakeAt(waited.wakeMs)
      this.over({ type: 'suspended' })
    }
    throw new Suspended()
  }

  private async giveBack(
    event: 'released' | 'crashed',
    reason: string,
    delayMs: number,
    worker?: string,
  ): Promise<void> {
    if (this.state !== 'running') return
    this.state = 'ending'
    this.deadlines.stop()
    await this.log.flush()
    await retrySafe(() =>
      requeueThreads(this.services.db, {
        runner: this.services.runner,
        held: [{ id: this.lease.thread, token: this.lease.token }],
        event,
        reason,
        delayMs,
        ...(worker === undefined ? {} : { worker }),
      }),
    )
    this.over({ type: 'abort', reason })
  }

  /** What to do with an error of the platform itself, by what it says of this thread. */
  private async failWith(error: unknown): Promise<void> {
    if (this.state === 'over') return
    if (error instanceof LeaseLost) return this.lose()
    try {
      // Also when it was the end that could not be written: something else is written instead.
      this.state = 'running'
      if (this.recorder.chain === undefined && isAppError(error, 'CORRUPT_NODE')) {
        // There is nothing sound to put an end node on: a person has to look at it.
        return void (await this.goesOn(error.message))
      }
      if (this.recorder.chain !== undefined && isAppError(error) && BLAMES_THREAD.has(error.code)) {
        // One of them may be what was refused.
        this.recorder.contents.clear()
        return await this.end(EXIT.failed, error.message)
      }
      if (retryable(error)) {
        log.warn({ err: error, thread: this.lease.thread }, 'a thread waits for the database')
        // Nobody's fault here: it must not count towards giving up.
        return await this.giveBack('released', messageOf(error), DATABASE_DELAY_MS)
      }
      log.error({ err: error, thread: this.lease.thread }, 'a thread could not go on')
      await this.giveBack('crashed', messageOf(error), crashDelayMs(this.crashes))
    } catch (second) {
      // Nothing can be written now. The lease runs out and the thread is taken over.
      if (!(second instanceof LeaseLost))
        log.error({ err: second, thread: this.lease.thread }, 'a thread could not be given back')
      this.over({ type: 'abort', reason: messageOf(second) })
    }
  }

  /** The thread is no longer this runner's: what is left of its run is ended. */
  private over(message: Parameters<RunWorker['stop']>[0]): void {
    this.state = 'over'
    this.deadlines.stop()
    this.abort.abort()
    void this.worker.stop(message)
    void this.calls.commandsEnded()
    this.settle()
  }

  private async answer(message: CallMessage): Promise<void> {
    const answer = await this.calls.answer(message)
    // A refusal is told also to a run that is being ended: it may be what the bundle waits for.
    if (answer !== null && (this.state === 'running' || answer.type === 'refused')) this.worker.send(answer)
  }
}

/** Messages that would have changed the thread. */
const WRITES: ReadonlySet<RunMessage['type']> = new Set(['append', 'done', 'failed'])

/** Errors that say that this thread's own data cannot be recorded, whoever tries. */
const BLAMES_THREAD = new Set([
  'BAD_INPUT',
  'LIMIT_EXCEEDED',
  'HASH_COLLISION',
  'MISSING_REF',
  'BUNDLE_REJECTED',
  'CORRUPT_NODE',
])
