import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { Database } from '@/db/client'
import { retryable, retrySafe } from '@/db/errors'
import type { ClaimedRow } from '@/db/queries/threads/claim-threads'
import { findDigests } from '@/db/queries/threads/find-object'
import { requeueThreads } from '@/db/queries/threads/keep-leases'
import { contentNode } from '@/server/cas/nodes'
import { isAppError, LeaseLost, messageOf } from '@/server/kernel/errors'
import { END, type Hash, hashSchema } from '@/server/kernel/ids'
import { log } from '@/server/kernel/log'
import type { WorkerExit } from '@/server/sandbox/worker-process'
import type { BoundName, Limits } from '@/server/threads/limits'
import { EXIT } from '@/server/threads/status'
import type { Appender } from './appender'
import { BundleCalls, type CallMessage } from './bundle-calls'
import type { Chain, NextNode } from './chain'
import type { DatabaseClock } from './database-clock'
import { Deadlines } from './deadlines'
import type { Lease } from './lease'
import { loadContext } from './load-context'
import type { LogWriter } from './log-writer'
import { PendingContents } from './pending-contents'
import { completionSchema, roleOutputSchema, whatIsWrong } from './role-output'
import { grantsOf, limitsOf } from './run-settings'
import { type StepFacts, stepRow } from './step-row'
import { ThreadLog } from './thread-log'
import { type BundleWorker, type RunListener, type RunMessage, WorkerLost, type WorkerPool } from './worker-pool'

export type RunServices = {
  db: Database
  runner: string
  appender: Appender
  logs: LogWriter
  clock: DatabaseClock
  pool: WorkerPool
}

/** `over`: nothing that the worker says counts any more. */
type State = 'running' | 'ending' | 'over'

/** Delay before a crashed thread is tried again, by crashes in a row. */
const crashDelayMs = (crashes: number) => Math.min(100 * 2 ** crashes, 60_000)
/** Unwritten contents above this are stored at once and not with the next step. */
const MAX_PENDING_CHARACTERS = 4 * 1024 * 1024
/** Before a thread goes on that was given back because the database could not be reached. */
const DATABASE_DELAY_MS = 500
/** From this many crashes in a row on, a thread gets a worker of its own. */
const ALONE_AFTER_CRASHES = 1

/**
 * One thread for as long as this runner holds its lease: gives the worker what it asks for, appends what the generator
 * yields, and writes the end node on every ending. `finished` resolves when the thread is no longer this runner's.
 */
export class ThreadRun implements RunListener {
  readonly finished: Promise<void>
  readonly lease: Lease
  private readonly run = randomBytes(16).toString('base64url')
  private readonly limits: Limits
  private readonly abort = new AbortController()
  private readonly contents: PendingContents
  private readonly log: ThreadLog
  private readonly calls: BundleCalls
  private readonly deadlines: Deadlines
  private state: State = 'running'
  private worker: BundleWorker | undefined
  private chain: Chain | undefined
  private steps: number
  private crashes: number
  private generatorOver = false
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
    this.contents = new PendingContents(services.db, this.lease)
    this.log = new ThreadLog(services.logs, this.lease, this.limits.logBytes)
    this.calls = new BundleCalls({
      thread: claimed.id,
      grants: grantsOf(claimed),
      limits: this.limits,
      dryRun: claimed.dry_run,
      signal: this.abort.signal,
      contents: this.contents,
      log: this.log,
    })
    this.deadlines = new Deadlines(this.limits, (why) => this.queue(() => this.end(EXIT.deadline, why)))
    this.steps = claimed.steps
    this.crashes = claimed.crashes
    this.finished = new Promise((resolve) => {
      this.settle = resolve
    })
  }

  /** Loads the history, gets a worker, and starts the generator. Never throws: every ending is written or given back. */
  async start(): Promise<void> {
    try {
      const { thread, chain } = await loadContext(this.services.db, this.claimed)
      this.chain = chain
      if (this.crashes >= this.limits.crashes) {
        return await this.end(
          EXIT.gaveUp,
          `gave up after ${this.crashes} crashes in a row, the bound crashes is ${this.limits.crashes}`,
        )
      }
      const worker = await this.services.pool.acquire({
        bundle: this.claimed.bundle,
        memoryMegabytes: this.limits.workerMegabytes,
        only: this.crashes >= ALONE_AFTER_CRASHES ? this.claimed.id : null,
      })
      if (this.state !== 'running') return
      this.worker = worker
      worker.runs.set(this.run, this)
      this.deadlines.start(this.claimed, this.services.clock.now())
      worker.send({
        type: 'run',
        run: this.run,
        thread,
        head: chain.head,
        start: chain.start.hash,
        dryRun: this.claimed.dry_run,
      })
    } catch (error) {
      if (error instanceof WorkerLost) this.onExit(error.exit)
      else await this.failWith(error)
    }
  }

  onMessage(message: RunMessage, bytes: number): void {
    if (message.type === 'over') {
      this.generatorOver = true
      this.leaveWorker()
      return
    }
    if (this.state !== 'running') {
      if (this.lost && WRITES.has(message.type)) this.services.appender.addStaleWrites(1)
      return
    }
    if (message.type === 'log') this.log.add(message.level, message.tag, message.text)
    else if (message.type === 'call') void this.answer(message)
    else {
      const { worker } = this
      worker?.addBacklog(bytes)
      this.queue(() => this.handle(message).finally(() => worker?.addBacklog(-bytes)))
    }
  }

  onOutput(text: string): void {
    this.log.add('info', 'output', text)
  }

  onExit(exit: WorkerExit): void {
    this.generatorOver = true
    this.worker = undefined
    this.queue(async () => {
      if (this.state !== 'running') return
      if (exit.planned) return this.giveBack('released', `its worker was ended: ${exit.reason}`, 0)
      if (exit.stderr !== '') this.log.add('error', 'stderr', exit.stderr)
      await this.crash(`its worker was lost: ${exit.reason}`)
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
    this.over('the lease was lost')
  }

  /** For a heartbeat that did not find the lease: while the end is being written, that write may be what gave it up. */
  loseUnlessEnding(): void {
    if (this.state === 'running') this.lose()
  }

  private queue(work: () => Promise<void>): void {
    this.tail = this.tail.then(work).catch((error: unknown) => this.failWith(error))
  }

  private async handle(message: Extract<RunMessage, { type: 'put' | 'append' | 'done' | 'failed' }>): Promise<void> {
    if (this.state !== 'running') return
    switch (message.type) {
      case 'put':
        return this.put(message.text, message.refs)
      case 'append':
        return this.append(message.output)
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

  private async put(text: string, refs: string[]): Promise<void> {
    const parsed = z.array(hashSchema).safeParse(refs)
    if (!parsed.success) return this.end(EXIT.failed, `bad cas.put: a ref ${whatIsWrong(parsed.error)}`)
    const node = contentNode(text, parsed.data)
    if (node.size > this.limits.contentBytes) return this.endAtBound('contentBytes', `a content of ${node.size} bytes`)
    await this.contents.put(node)
    if (this.contents.size <= MAX_PENDING_CHARACTERS) return
    await this.services.appender.put(this.lease, this.contents.rows())
    this.contents.clear()
  }

  private async append(output: unknown): Promise<void> {
    const parsed = roleOutputSchema.safeParse(output)
    if (!parsed.success) return this.end(EXIT.failed, `bad yield: ${whatIsWrong(parsed.error)}`)
    const { role, contentHash, meta, refs, childThread } = parsed.data
    const maxRounds = this.claimed.max_rounds ?? this.limits.maxRounds
    if (this.steps >= maxRounds) {
      return this.end(EXIT.failed, `stopped at the bound maxRounds (${maxRounds}) before ${role} could be recorded`)
    }
    const content = await this.contents.find(contentHash)
    if (content === undefined) {
      return this.end(
        EXIT.failed,
        `bad yield: ${role} names the content ${contentHash}, which does not exist: store it with runtime.cas.put`,
      )
    }
    if (content.refs.join() !== refs.join()) {
      return this.end(
        EXIT.failed,
        `bad yield: ${role} gives other refs than its content was stored with: pass them to runtime.cas.put`,
      )
    }
    const child = childThread === null ? null : await this.childEnd(childThread)
    if (child === undefined)
      return this.end(EXIT.failed, `bad yield: the child thread ${childThread} of ${role} does not exist`)
    const node = this.chainNow().next({
      role,
      meta,
      content,
      childThread: child,
      now: this.services.clock.now(),
    })
    if (node.size > this.limits.contentBytes)
      return this.endAtBound('contentBytes', `a meta that makes a node of ${node.size} bytes`)
    await this.write(node, { role, content: contentHash, childThread, counted: true })
    this.steps += 1
    this.crashes = 0
    this.deadlines.nextRole()
    this.worker?.send({ type: 'appended', run: this.run, head: node.hash, timestamp: node.timestamp })
  }

  private async write(node: NextNode, step: StepFacts): Promise<void> {
    const chain = this.chainNow()
    await this.services.appender.append(this.lease, stepRow(this.lease, chain, node, step), this.contents.rows())
    chain.push(node)
    this.contents.clear()
  }

  /** Writes the end node. Everything that the thread has said is stored before. */
  private async end(returnCode: number, summary: string): Promise<void> {
    if (this.state !== 'running') return
    this.state = 'ending'
    this.deadlines.stop()
    await this.log.flush()
    const status = returnCode === EXIT.success ? 'completed' : 'failed'
    const content = await this.contents.putEmpty()
    const node = this.chainNow().next({
      role: END,
      meta: { returnCode, summary },
      content,
      childThread: null,
      now: this.services.clock.now(),
    })
    await this.write(node, {
      role: END,
      content: content.hash,
      childThread: null,
      counted: false,
      end: { status, returnCode, summary },
    })
    this.over(summary)
  }

  private endAtBound(bound: BoundName, what: string): Promise<void> {
    return this.end(EXIT.failed, `${what} is more than the bound ${bound} allows (${this.limits[bound]})`)
  }

  private async crash(reason: string): Promise<void> {
    const crashes = this.crashes + 1
    if (crashes >= this.limits.crashes) {
      return this.end(EXIT.gaveUp, `gave up after ${crashes} crashes in a row (bound crashes): ${reason}`)
    }
    await this.giveBack('crashed', reason, crashDelayMs(this.crashes))
  }

  private async giveBack(event: 'released' | 'crashed', reason: string, delayMs: number): Promise<void> {
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
      }),
    )
    this.over(reason)
  }

  /** What to do with an error of the platform itself, by what it says of this thread. */
  private async failWith(error: unknown): Promise<void> {
    if (this.state === 'over') return
    if (error instanceof LeaseLost) return this.lose()
    try {
      // Also when it was the end that could not be written: something else is written instead.
      this.state = 'running'
      if (this.chain !== undefined && isAppError(error) && BLAMES_THREAD.has(error.code)) {
        // One of them may be what was refused.
        this.contents.clear()
        return await this.end(EXIT.failed, error.message)
      }
      log.error({ err: error, thread: this.lease.thread }, 'a thread could not go on')
      // Nobody's fault here: it must not count towards giving up.
      if (retryable(error)) return await this.giveBack('released', messageOf(error), DATABASE_DELAY_MS)
      await this.giveBack('crashed', messageOf(error), crashDelayMs(this.crashes))
    } catch (second) {
      // Nothing can be written now. The lease runs out and the thread is taken over.
      if (!(second instanceof LeaseLost))
        log.error({ err: second, thread: this.lease.thread }, 'a thread could not be given back')
      this.over(messageOf(second))
    }
  }

  /** The thread is no longer this runner's. A generator that does not react to its abort takes its worker with it. */
  private over(reason: string): void {
    this.state = 'over'
    this.deadlines.stop()
    this.abort.abort()
    if (this.worker !== undefined && !this.generatorOver) {
      this.worker.send({ type: 'abort', run: this.run, reason })
      setTimeout(() => {
        if (!this.generatorOver)
          this.worker?.kill(`thread ${this.lease.thread} did not react to its abort within abortGraceSeconds`, {
            planned: true,
          })
      }, this.limits.abortGraceSeconds * 1000)
    }
    this.settle()
  }

  private leaveWorker(): void {
    this.worker?.runs.delete(this.run)
    this.worker = undefined
  }

  private async answer(message: CallMessage): Promise<void> {
    const answer = await this.calls.answer(message, this.tail)
    // A refusal is told also to a run that is being ended: it may be what the bundle waits for.
    if (this.state === 'running' || answer.type === 'refused') this.worker?.send({ ...answer, run: this.run })
  }

  private async childEnd(hash: Hash): Promise<{ hash: Hash; digest: Buffer } | undefined> {
    const digest = (await findDigests(this.services.db, [hash])).get(hash)
    return digest && { hash, digest }
  }

  private chainNow(): Chain {
    if (this.chain === undefined) throw new Error('The chain is loaded before anything is appended.')
    return this.chain
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
