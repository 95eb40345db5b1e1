import { randomBytes } from 'node:crypto'
import type { ToWorker } from '@/server/sandbox/protocol'
import type { BundleWorker, RunListener } from './worker-pool'

type ForRun = Extract<ToWorker, { run: string }>
type Unaddressed<M extends ForRun = ForRun> = M extends ForRun ? Omit<M, 'run'> : never

/** One run's hold on its worker: what is sent to the generator, and that it comes to an end. */
export class RunWorker {
  readonly id = randomBytes(16).toString('base64url')
  private worker: BundleWorker | undefined
  private stopped = false
  private readonly isOver: Promise<void>
  private settle: () => void = () => undefined

  constructor(
    private readonly thread: string,
    private readonly graceMs: number,
  ) {
    this.isOver = new Promise((resolve) => {
      this.settle = resolve
    })
  }

  attach(worker: BundleWorker, listener: RunListener): void {
    this.worker = worker
    worker.runs.set(this.id, listener)
  }

  send(message: Unaddressed): void {
    // Omitting `run` from each of a union's members and adding it again gives the member back.
    this.worker?.send({ ...message, run: this.id } as ForRun)
  }

  /** See `WorkerProcess.addBacklog`. */
  get backlog(): (bytes: number) => void {
    const { worker } = this
    return (bytes) => worker?.addBacklog(bytes)
  }

  /** The generator is over, or the worker is gone: nothing of this run lives there. */
  over(): void {
    this.worker?.runs.delete(this.id)
    this.worker = undefined
    this.settle()
  }

  /**
   * Tells the generator that its run is over; one that does not react within its grace takes its worker with it, whose other
   * threads are given back without blame. Resolves when nothing of the run is left.
   */
  stop(message: { type: 'abort'; reason: string } | { type: 'suspended' }): Promise<void> {
    if (this.worker === undefined) this.settle()
    if (this.stopped || this.worker === undefined) return this.isOver
    this.stopped = true
    this.send(message)
    const timer = setTimeout(() => {
      const why = `thread ${this.thread} did not react to its abort within abortGraceSeconds`
      this.worker?.kill(why, { planned: true })
    }, this.graceMs)
    void this.isOver.then(() => clearTimeout(timer))
    return this.isOver
  }
}
