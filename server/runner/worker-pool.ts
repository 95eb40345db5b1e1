import { availableParallelism } from 'node:os'
import type { Database } from '@/db/client'
import { findBundleSource } from '@/db/queries/runners/find-bundle-source'
import { hashBytes } from '@/server/cas/hash'
import { AppError } from '@/server/kernel/errors'
import { log } from '@/server/kernel/log'
import type { FromWorker, ToWorker } from '@/server/sandbox/protocol'
import { type WorkerExit, WorkerProcess } from '@/server/sandbox/worker-process'
import { BOUNDS } from '@/server/threads/limits'
import { gate } from './gate'

/** The worker went before it had loaded its bundle: somebody killed it, it ran out of memory, or the bundle ends it. */
export class WorkerLost extends Error {
  override readonly name = 'WorkerLost'
  constructor(readonly exit: WorkerExit) {
    super(exit.reason)
  }
}

export type RunMessage = Extract<FromWorker, { run: string }>

/** What a worker tells the run that it holds. */
export type RunListener = {
  onMessage(message: RunMessage, bytes: number): void
  onExit(exit: WorkerExit): void
  onOutput(text: string): void
}

export type WorkerKey = {
  bundle: string
  memoryMegabytes: number
  /** A worker for this thread alone: after a crash, so that the next one has no other suspect. */
  only: string | null
}

const IDLE_MS = 5 * 60_000
const LOAD_DEADLINE_MS = 30_000
/** Idle workers kept warm, at most. */
const MAX_IDLE = 8

/** One sandboxed process that holds one bundle and the runs of any number of threads. */
export class BundleWorker {
  readonly runs = new Map<string, RunListener>()
  idleSince = 0
  gone = false

  constructor(private readonly process: WorkerProcess) {
    process.on('message', (message, bytes) => {
      // `ready` and `loaded` were awaited while the worker came up; said again they are noise.
      const listener = 'run' in message ? this.runs.get(message.run) : undefined
      if (listener === undefined || !('run' in message)) process.reject()
      else listener.onMessage(message, bytes)
    })
    process.on('exit', (exit) => {
      this.gone = true
      for (const listener of [...this.runs.values()]) listener.onExit(exit)
      this.runs.clear()
    })
    process.on('output', (text) => {
      // The process does not say which of its runs printed: only a run that is alone can have its output.
      if (this.runs.size === 1) for (const listener of this.runs.values()) listener.onOutput(text)
    })
  }

  send(message: ToWorker): void {
    this.process.send(message)
  }

  /** See `WorkerProcess.addBacklog`. */
  addBacklog(bytes: number): void {
    this.process.addBacklog(bytes)
  }

  kill(reason: string, options?: { planned: boolean }): void {
    this.process.kill(reason, options)
  }
}

/** The workers of a runner, by what they may serve, and one spare process that has no bundle yet. */
export class WorkerPool {
  private readonly workers = new Map<string, Promise<BundleWorker>>()
  private spare: Promise<WorkerProcess> | undefined
  private readonly idleTimer: NodeJS.Timeout
  private closed = false

  constructor(private readonly db: Database) {
    this.idleTimer = setInterval(() => void this.endIdle(), IDLE_MS / 10).unref()
    this.prepareSpare()
  }

  /** A worker that has loaded the bundle. Throws BUNDLE_REJECTED when it does not load, NOT_FOUND, CORRUPT_NODE, and WorkerLost. */
  async acquire(key: WorkerKey): Promise<BundleWorker> {
    const name = `${key.bundle} ${key.memoryMegabytes} ${key.only ?? ''}`
    for (;;) {
      const started = this.workers.get(name)
      const present = await started?.catch(() => undefined)
      if (present !== undefined && !present.gone) return present
      // While this waited, somebody else may have begun to start the one that both will use.
      if (this.workers.get(name) !== started) continue
      const starting = this.start(key)
      this.workers.set(name, starting)
      starting.catch(() => this.workers.get(name) === starting && this.workers.delete(name))
      return starting
    }
  }

  /** Ends every worker; their runs are told that it was planned. */
  close(): void {
    this.closed = true
    clearInterval(this.idleTimer)
    for (const worker of this.workers.values()) {
      worker.then(
        (w) => w.kill('the runner stops', { planned: true }),
        () => undefined,
      )
    }
    this.spare?.then(
      (process) => process.kill('the runner stops', { planned: true }),
      () => undefined,
    )
  }

  private async start(key: WorkerKey): Promise<BundleWorker> {
    const source = await findBundleSource(this.db, key.bundle)
    if (source === undefined) {
      throw new AppError('NOT_FOUND', `The bundle ${key.bundle} is not in the registry any more.`, {
        what: 'bundle',
        id: key.bundle,
      })
    }
    if (hashBytes(source) !== key.bundle) {
      throw new AppError(
        'CORRUPT_NODE',
        `The stored bytes of bundle ${key.bundle} are not the ones that have this hash: it is not run.`,
        { hash: key.bundle },
      )
    }
    const process = await this.takeProcess(key.memoryMegabytes)
    await loadInto(process, source, key.bundle)
    if (this.closed) process.kill('the runner stops', { planned: true })
    return new BundleWorker(process)
  }

  private async takeProcess(memoryMegabytes: number): Promise<WorkerProcess> {
    const { spare } = this
    if (memoryMegabytes === BOUNDS.workerMegabytes.default && spare !== undefined) {
      this.spare = undefined
      setImmediate(() => this.prepareSpare())
      return spare
    }
    return readyProcess(memoryMegabytes)
  }

  private prepareSpare(): void {
    if (this.closed || this.spare !== undefined) return
    const spare = readyProcess(BOUNDS.workerMegabytes.default)
    this.spare = spare
    spare.then(
      (process) =>
        process.once('exit', () => {
          if (this.spare === spare) this.spare = undefined
        }),
      (error: unknown) => {
        log.error({ err: error }, 'a spare worker did not start')
        this.spare = undefined
      },
    )
  }

  private async endIdle(): Promise<void> {
    const idle: { name: string; worker: BundleWorker }[] = []
    for (const [name, starting] of this.workers) {
      const worker = await starting.catch(() => undefined)
      if (worker === undefined || worker.gone) this.workers.delete(name)
      else if (worker.runs.size === 0) idle.push({ name, worker })
      else worker.idleSince = 0
    }
    const now = Date.now()
    for (const { worker } of idle) worker.idleSince ||= now
    idle.sort((a, b) => b.worker.idleSince - a.worker.idleSince)
    for (const [index, { name, worker }] of idle.entries()) {
      if (worker.runs.size > 0 || (index < MAX_IDLE && now - worker.idleSince < IDLE_MS)) continue
      this.workers.delete(name)
      worker.kill('it was idle', { planned: true })
    }
  }
}

/**
 * A start takes a processor for some time. When very many threads need a worker of their own at once, which is so after a runner was
 * killed, their starts would take the processor from the runner itself until its leases ran out, again and again.
 */
const startInTurn = gate(Math.max(2, availableParallelism()))

function readyProcess(memoryMegabytes: number): Promise<WorkerProcess> {
  return startInTurn(async () => {
    const process = await WorkerProcess.start({ memoryMegabytes })
    await answer(process, 'it did not come up', (message) => (message.type === 'ready' ? true : undefined))
    return process
  })
}

function loadInto(process: WorkerProcess, source: string, hash: string): Promise<true> {
  process.send({ type: 'load', source, hash })
  return answer(process, `it did not load its bundle within ${LOAD_DEADLINE_MS} ms`, (message) => {
    if (message.type === 'loaded') return true
    if (message.type !== 'load-failed') return undefined
    const text = `The bundle ${hash} does not load: ${message.error.name}: ${message.error.message}`
    process.kill('its bundle does not load', { planned: true })
    throw new AppError('BUNDLE_REJECTED', text, { findings: [{ message: text }] })
  })
}

/** Waits for the message that `pick` gives a value for. */
function answer<T>(process: WorkerProcess, late: string, pick: (message: FromWorker) => T | undefined): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => process.kill(late), LOAD_DEADLINE_MS)
    const settle = () => {
      clearTimeout(timer)
      process.off('message', onMessage)
      process.off('exit', onExit)
    }
    const onMessage = (message: FromWorker) => {
      try {
        const picked = pick(message)
        if (picked === undefined) return process.reject()
        settle()
        resolve(picked)
      } catch (error) {
        settle()
        reject(error)
      }
    }
    const onExit = (exit: WorkerExit) => {
      settle()
      reject(new WorkerLost(exit))
    }
    process.on('message', onMessage)
    process.on('exit', onExit)
  })
}
