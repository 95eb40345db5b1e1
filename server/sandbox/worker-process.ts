import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Duplex, Readable } from 'node:stream'
import { launcher } from './launcher'
import { lineChannel } from './line-channel'
import { sandboxFlags } from './node-flags'
import { type FromWorker, fromWorkerSchema, type ToWorker } from './protocol'
import { shimFile } from './shim-file'

/** Why a worker is gone. `planned`: this process ended it without blaming its threads. */
export type WorkerExit = { pid: number; reason: string; stderr: string; planned: boolean }

export type WorkerOptions = {
  /** Resident memory in MiB above which the worker is killed. */
  memoryMegabytes: number
  /** Bytes of one message, at most; default 72 MiB. */
  maxMessageBytes?: number
}

/** The ceiling of contentBytes, and room for the message around it. Parsing one blocks the runner for a moment. */
const MAX_MESSAGE_BYTES = 72 * 1024 * 1024
/** Messages that break the schema or name a run that the worker does not hold, before it is killed. */
const MAX_BAD_MESSAGES = 100
/** A worker that says more than this in one window is read no further until the window ends. */
const WINDOW_MS = 100
const WINDOW_MESSAGES = 5_000
const WINDOW_BYTES = 32 * 1024 * 1024
/** A worker that leaves more than this unread in its channel is killed. */
const MAX_UNREAD_BYTES = 256 * 1024 * 1024
/** Messages read but not handled yet, above which a worker is not read. */
const MAX_BACKLOG_BYTES = 32 * 1024 * 1024
const STDERR_KEPT = 8_192
const MEMORY_CHECK_MS = 250

type Events = { message: [message: FromWorker, bytes: number]; exit: [WorkerExit]; output: [string] }

/**
 * A child process that runs untrusted code: its own process group, an empty environment, the permission model of Node, a
 * memory bound, and one channel. Every message is parsed; a worker that floods is read slowly, one that keeps breaking the
 * rules is killed.
 */
export class WorkerProcess extends EventEmitter<Events> {
  readonly pid: number
  private readonly pipe: Duplex
  private readonly channel: { send(message: unknown): void }
  private readonly memoryTimer: NodeJS.Timeout
  private readonly windowTimer: NodeJS.Timeout
  private badMessages = 0
  private windowMessages = 0
  private windowBytes = 0
  private backlog = 0
  private stderr = ''
  private endReason: { reason: string; planned: boolean } | undefined
  private gone = false

  static async start(options: WorkerOptions): Promise<WorkerProcess> {
    const { prefix } = await launcher()
    const flags = sandboxFlags(process.version, { heapMegabytes: options.memoryMegabytes })
    const [command = process.execPath, ...args] = [...prefix(), process.execPath, ...flags]
    // Next's types ask every environment for NODE_ENV; this one is empty on purpose.
    const env = {} as NodeJS.ProcessEnv
    // As its standard input, so that the worker needs no right to read any file.
    const shim = await open(await shimFile())
    try {
      const spawnOptions: SpawnOptions = { env, cwd: '/', detached: true, stdio: [shim.fd, 'pipe', 'pipe', 'pipe'] }
      const child = spawn(command, args, spawnOptions)
      await new Promise<void>((resolve, reject) => {
        child.once('spawn', resolve)
        child.once('error', reject)
      })
      return new WorkerProcess(child, options)
    } finally {
      await shim.close()
    }
  }

  private constructor(
    child: ChildProcess,
    private readonly options: WorkerOptions,
  ) {
    super()
    // `spawn` has been emitted, so there is a pid and stdio[3] is the duplex pipe asked for above.
    this.pid = child.pid as number
    const pipe = child.stdio[3] as Duplex
    this.pipe = pipe
    pipe.on('error', () => undefined) // The exit event tells what happened.
    const streams = [pipe, child.stdout, child.stderr].filter((stream) => stream !== null)
    for (const stream of streams) stream.on('data', (chunk: Buffer) => this.count(stream, chunk.length))
    this.channel = lineChannel(pipe, {
      maxLineBytes: options.maxMessageBytes ?? MAX_MESSAGE_BYTES,
      onMessage: (message, bytes) => this.receive(pipe, message, bytes),
      onFault: (fault) => {
        if (fault.kind === 'not-json') this.reject()
        else {
          this.kill(`it sent a message of more than ${fault.max} bytes`)
          pipe.destroy()
        }
      },
    })
    child.stdout?.on('data', (chunk: Buffer) => this.emit('output', chunk.toString('utf8')))
    child.stderr?.on('data', (chunk: Buffer) => {
      const text = chunk.toString('utf8')
      this.stderr = (this.stderr + text).slice(-STDERR_KEPT)
      this.emit('output', text)
    })
    child.once('close', (code, signal) => this.onClose(code, signal))
    this.memoryTimer = setInterval(() => this.checkMemory(), MEMORY_CHECK_MS).unref()
    this.windowTimer = setInterval(() => {
      this.windowMessages = 0
      this.windowBytes = 0
      if (pipe.writableLength > MAX_UNREAD_BYTES) this.kill('it does not read the answers to what it asks')
      if (this.backlog <= MAX_BACKLOG_BYTES) for (const stream of streams) stream.resume()
    }, WINDOW_MS).unref()
  }

  send(message: ToWorker): void {
    if (!this.gone) this.channel.send(message)
  }

  /** Ends the process group at once. The first reason given is the one that `exit` tells. */
  kill(reason: string, options: { planned?: boolean } = {}): void {
    if (this.gone) return
    this.endReason ??= { reason, planned: options.planned ?? false }
    try {
      process.kill(-this.pid, 'SIGKILL')
    } catch {
      // The group is gone already; `close` follows.
    }
  }

  /** Counts a message that cannot be what an honest bundle sends. */
  reject(): void {
    this.badMessages += 1
    if (this.badMessages > MAX_BAD_MESSAGES)
      this.kill(`it sent more than ${MAX_BAD_MESSAGES} messages that are not its own or break the schema`)
  }

  /** Bytes of its messages that wait to be handled, more or less than before: while there are many, nothing more is read. */
  addBacklog(bytes: number): void {
    this.backlog += bytes
    if (this.backlog > MAX_BACKLOG_BYTES) this.pipe.pause()
  }

  get rejected(): number {
    return this.badMessages
  }

  private receive(pipe: Duplex, raw: unknown, bytes: number): void {
    if (this.gone || this.endReason !== undefined) return
    this.windowMessages += 1
    if (this.windowMessages > WINDOW_MESSAGES) pipe.pause()
    const parsed = fromWorkerSchema.safeParse(raw)
    if (parsed.success) this.emit('message', parsed.data, bytes)
    else this.reject()
  }

  private count(stream: Readable, bytes: number): void {
    this.windowBytes += bytes
    if (this.windowBytes > WINDOW_BYTES) stream.pause()
  }

  private checkMemory(): void {
    const megabytes = residentMegabytes(this.pid)
    if (megabytes !== null && megabytes > this.options.memoryMegabytes) {
      this.kill(`it used ${Math.round(megabytes)} MiB, more than workerMegabytes (${this.options.memoryMegabytes})`)
    }
  }

  private onClose(code: number | null, signal: NodeJS.Signals | null): void {
    this.gone = true
    clearInterval(this.memoryTimer)
    clearInterval(this.windowTimer)
    const outOfHeap = this.stderr.includes('heap out of memory')
    const observed = outOfHeap
      ? `it ran out of heap, workerMegabytes is ${this.options.memoryMegabytes}`
      : signal === null
        ? `it exited with code ${code}`
        : `it was ended by ${signal}`
    this.emit('exit', {
      pid: this.pid,
      reason: this.endReason?.reason ?? observed,
      planned: this.endReason?.planned ?? false,
      stderr: this.stderr.trim(),
    })
  }
}

/**
 * Resident memory of a process and of its children: a launcher stands between and runs nothing of its own. Null where the
 * system does not tell (anything but Linux): there, the heap limit of V8 is the only bound. Synchronous, because nothing
 * under /proc waits for a disk, and a trip through the thread pool for each file costs ten times as much.
 */
function residentMegabytes(pid: number): number | null {
  try {
    const below = childrenOf(pid).map(residentKilobytes)
    return below.reduce((sum, kilobytes) => sum + kilobytes, residentKilobytes(pid)) / 1024
  } catch {
    // It ended while it was looked at; `close` follows.
    return null
  }
}

function residentKilobytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0)
}

function childrenOf(pid: number): number[] {
  const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return list.split(' ').filter(Boolean).map(Number)
}
