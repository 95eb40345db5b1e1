import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { REPOSITORY } from './paths'

export type NodeProcessOptions = {
  /** Arguments of node: flags, script, its arguments. */
  args: readonly string[]
  env: NodeJS.ProcessEnv
  cwd: string
  /** Its stdout and stderr are appended here. A file and not a pipe: it outlives us, and what is printed last is kept. */
  logFile: string
  /** From SIGTERM to the hard end. */
  graceMs: number
}

export type ChildOptions = NodeProcessOptions & {
  name: string
  /** Told each time it ended by itself and is about to be started again. */
  onRestart: (what: { name: string; how: string; inMs: number }) => void
}

export type Child = {
  readonly name: string
  /** Of the process that runs now; null between two. */
  pid: () => number | null
  /** Ends it in order and starts it again. */
  restart: () => Promise<void>
  /** SIGTERM, then SIGKILL after the grace time; resolves when it is gone. It is not started again. */
  stop: () => Promise<void>
  /** How often it ended by itself. */
  failures: () => number
  /** The last lines it printed. */
  recentOutput: () => string
}

const FIRST_RESTART_MS = 300
const LONGEST_RESTART_MS = 10_000
/** A process that ran this long is healthy: its next restart is quick again. */
const HEALTHY_MS = 30_000

/** Starts a Node process of ours and keeps it alive until `stop`. */
export function startChild(options: ChildOptions): Child {
  const logStart = sizeOf(options.logFile)
  let current: ChildProcess | null = null
  let timer: NodeJS.Timeout | undefined
  let stopping = false
  let failures = 0
  let restartMs = FIRST_RESTART_MS

  const launch = () => {
    const startedAt = Date.now()
    const child = spawnNode(options)
    current = child
    const ended = (how: string) => {
      if (current !== child) return
      current = null
      if (stopping) return
      // What it may have left in its group has lost its owner.
      killGroup(child, 'SIGKILL')
      if (Date.now() - startedAt > HEALTHY_MS) restartMs = FIRST_RESTART_MS
      failures++
      options.onRestart({ name: options.name, how, inMs: restartMs })
      timer = setTimeout(launch, restartMs)
      restartMs = Math.min(restartMs * 2, LONGEST_RESTART_MS)
    }
    child.once('exit', (code, signal) => ended(signal ? `killed by ${signal}` : `exit code ${code}`))
    child.once('error', (error) => ended(error.message))
  }
  const end = async () => {
    clearTimeout(timer)
    const child = current
    current = null
    if (child) await endProcess(child, options.graceMs)
  }

  launch()
  return {
    name: options.name,
    pid: () => current?.pid ?? null,
    restart: async () => {
      await end()
      if (!stopping) launch()
    },
    stop: async () => {
      stopping = true
      await end()
    },
    failures: () => failures,
    recentOutput: () => tailOf(options.logFile, logStart),
  }
}

/**
 * A Node process with a process group of its own (a Ctrl-C in the terminal reaches only us, so that the order of stopping
 * is ours) that ends by itself when we are gone: see parent-watch.mjs.
 */
export function spawnNode(options: NodeProcessOptions): ChildProcess {
  const log = openSync(options.logFile, 'a', 0o600)
  try {
    const child = spawn(process.execPath, ['--import', PARENT_WATCH, ...options.args], {
      cwd: options.cwd,
      env: { ...options.env, CAIRN_PARENT_WATCH: String(options.graceMs) },
      stdio: ['pipe', log, log],
      detached: true,
    })
    // Nothing is ever written to it; its death must not be ours.
    child.stdin?.on('error', () => undefined)
    return child
  } finally {
    closeSync(log)
  }
}

/** Ends a process of `spawnNode` and whatever is left in its group; resolves when it is gone. */
export async function endProcess(child: ChildProcess, graceMs: number): Promise<void> {
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
    const gone = once(child, 'exit')
    child.kill('SIGTERM')
    const force = setTimeout(() => killGroup(child, 'SIGKILL'), graceMs + 500)
    await gone
    clearTimeout(force)
  }
  killGroup(child, 'SIGKILL')
}

const PARENT_WATCH = pathToFileURL(join(REPOSITORY, 'cli/up/parent-watch.mjs')).href

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch (error) {
    // ESRCH: the whole group is gone already, which is what we want.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

const TAIL_BYTES = 8000

/** What was appended to a file since `from`, its last 8000 bytes at most. */
export function tailOf(path: string, from = 0): string {
  const end = sizeOf(path)
  const start = Math.max(from, end - TAIL_BYTES)
  if (end <= start) return ''
  const file = openSync(path, 'r')
  try {
    const buffer = Buffer.alloc(end - start)
    return buffer
      .subarray(0, readSync(file, buffer, 0, buffer.length, start))
      .toString('utf8')
      .trimEnd()
  } finally {
    closeSync(file)
  }
}

export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
