import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import { performance } from 'node:perf_hooks'
import type { Readable } from 'node:stream'
import type { ExecResult } from '@/sdk/types'
import { AppError } from '@/server/kernel/errors'
import { endTree } from './command-tree'
import { COMMAND_VARIABLE } from './process-table'

export type ExecRequest = {
  command: string
  args: string[]
  cwd: string | null
  stdin: string | null
  timeoutMs: number | null
}

export type CommandOptions = {
  signal: AbortSignal
  maxOutputBytes: number
  /** Between SIGTERM and SIGKILL, for a command that is ended. */
  graceMs: number
  dryRun: boolean
}

/** All that a command sees of the runner's environment, and what its processes are known by. */
function environment(cookie: string): NodeJS.ProcessEnv {
  const { PATH, LANG, TZ, NODE_ENV } = process.env
  return {
    NODE_ENV,
    PATH: PATH ?? '/usr/bin:/bin',
    LANG: LANG ?? 'C.UTF-8',
    ...(TZ === undefined ? {} : { TZ }),
    [COMMAND_VARIABLE]: cookie,
  }
}

/**
 * Runs one command: no shell, an argument array, its own process group, a bare environment, output capped. Throws NOT_FOUND
 * (command), TIMEOUT or LIMIT_EXCEEDED (output), the last two when the command and all that it started are gone.
 */
export async function runCommand(
  request: ExecRequest,
  cwd: string,
  cookie: string,
  options: CommandOptions,
): Promise<ExecResult> {
  const { command, args, timeoutMs } = request
  const { signal, maxOutputBytes, graceMs } = options
  const began = performance.now()
  const child = spawn(command, args, { cwd, env: environment(cookie), detached: true, stdio: ['pipe', 'pipe', 'pipe'] })

  let failure: AppError | undefined
  let ending: Promise<void> | undefined
  let allGone: () => void = () => undefined
  const gone = new Promise<undefined>((resolve) => {
    allGone = () => resolve(undefined)
  })
  const end = (error: AppError) => {
    failure ??= error
    ending ??= endTree({ cookie, group: child.pid ?? null }, graceMs).then(() => {
      // Somebody may hold the other end still: a process that ran away. Nobody reads from it here any more.
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
      allGone()
    })
  }
  const onAbort = () => {
    const afterMs = Math.round(performance.now() - began)
    end(new AppError('TIMEOUT', `${command} was ended because its thread was.`, { afterMs }))
  }
  signal.addEventListener('abort', onAbort, { once: true })
  const onTimeout = (afterMs: number) =>
    end(new AppError('TIMEOUT', `${command} ran longer than ${afterMs} ms and was ended.`, { afterMs }))
  const timer = timeoutMs === null ? undefined : setTimeout(onTimeout, timeoutMs, timeoutMs)
  const tooLong = () => {
    const message = `${command} printed more than commandOutputBytes allows (${maxOutputBytes}).`
    end(new AppError('LIMIT_EXCEEDED', message, { limit: 'commandOutputBytes', max: maxOutputBytes }))
  }
  const stdout = collect(child.stdout, maxOutputBytes, tooLong)
  const stderr = collect(child.stderr, maxOutputBytes, tooLong)
  child.stdin.on('error', () => undefined) // A command that does not read its input closes it.
  child.stdin.end(request.stdin ?? '')

  try {
    const exitCode = await Promise.race([exitOf(child, command, cwd), gone])
    await ending
    if (failure !== undefined || exitCode === undefined) throw failure
    return { exitCode, stdout: stdout(), stderr: stderr(), durationMs: Math.round(performance.now() - began) }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}

/** The exit code, or 128 and the number of the signal, once the command has ended and its output is closed. */
function exitOf(child: ChildProcess, command: string, cwd: string): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      const message = `The command ${command} is not installed where this runner runs, or its folder ${cwd} does not exist.`
      reject(error.code === 'ENOENT' ? new AppError('NOT_FOUND', message, { what: 'command', id: command }) : error)
    })
    child.once('close', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])))
  })
}

/** Keeps what a stream says; above `maxBytes` it says so instead. */
function collect(stream: Readable, maxBytes: number, tooLong: () => void): () => string {
  const chunks: Buffer[] = []
  let bytes = 0
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes <= maxBytes) chunks.push(chunk)
    else tooLong()
  })
  return () => Buffer.concat(chunks).toString('utf8')
}
