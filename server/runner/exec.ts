import { spawn } from 'node:child_process'
import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import type { ExecResult } from '@/sdk/types'
import { AppError } from '@/server/kernel/errors'
import type { Grants } from '@/server/registry/views'

export type ExecRequest = {
  command: string
  args: string[]
  cwd: string | null
  stdin: string | null
  timeoutMs: number | null
}

const TERM_GRACE_MS = 2_000
/** Commands that run now, in this process. */
const running = new Set<Promise<unknown>>()

/** Resolves when no command runs any more. Those whose thread ended do so within the grace that SIGTERM gives them. */
export async function commandsEnded(): Promise<void> {
  await Promise.allSettled([...running])
}

/** All that a command sees of the runner's environment. */
function environment(): NodeJS.ProcessEnv {
  const { PATH, LANG, TZ, NODE_ENV } = process.env
  return { NODE_ENV, PATH: PATH ?? '/usr/bin:/bin', LANG: LANG ?? 'C.UTF-8', ...(TZ === undefined ? {} : { TZ }) }
}

/**
 * Runs a command that the workflow was granted: no shell, an argument array, its own process group, a bare environment,
 * output capped. Throws NOT_GRANTED, BAD_INPUT (folder), TIMEOUT or LIMIT_EXCEEDED (output); a non-zero exit is a result.
 * When `signal` aborts, the group gets SIGTERM and after a grace SIGKILL.
 */
export async function runCommand(
  request: ExecRequest,
  grants: Grants,
  options: { signal: AbortSignal; maxOutputBytes: number; dryRun: boolean },
): Promise<ExecResult> {
  const { command, args } = request
  const grant = grants.exec.find((granted) => granted.command === command)
  if (grant === undefined) {
    throw new AppError(
      'NOT_GRANTED',
      `The command ${command} was not granted to this workflow. An admin can grant it: cairn workflow grant <name> exec:${command}`,
      {
        permission: `exec:${command}`,
      },
    )
  }
  if (options.dryRun)
    throw new AppError('NOT_GRANTED', `This is a dry run: ${command} was not run.`, { permission: `exec:${command}` })
  const cwd = await workingFolder(request.cwd, grant.folders, command)
  const began = performance.now()
  const child = spawn(command, args, { cwd, env: environment(), detached: true, stdio: ['pipe', 'pipe', 'pipe'] })

  const stop = (signal: NodeJS.Signals) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal)
    } catch {
      // The group is gone; `close` has been or will be emitted.
    }
  }
  let failure: Error | undefined
  const end = (error: Error) => {
    failure ??= error
    stop('SIGTERM')
    setTimeout(() => stop('SIGKILL'), TERM_GRACE_MS).unref()
  }
  const onAbort = () =>
    end(
      new AppError('TIMEOUT', `${command} was ended because its thread was.`, {
        afterMs: Math.round(performance.now() - began),
      }),
    )
  if (options.signal.aborted) onAbort()
  options.signal.addEventListener('abort', onAbort, { once: true })
  const timer =
    request.timeoutMs === null
      ? undefined
      : setTimeout(
          () =>
            end(
              new AppError('TIMEOUT', `${command} ran longer than ${request.timeoutMs} ms and was ended.`, {
                afterMs: request.timeoutMs ?? 0,
              }),
            ),
          request.timeoutMs,
        )

  const collect = (stream: NodeJS.ReadableStream) => {
    const chunks: Buffer[] = []
    let bytes = 0
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= options.maxOutputBytes) chunks.push(chunk)
      else {
        end(
          new AppError(
            'LIMIT_EXCEEDED',
            `${command} printed more than commandOutputBytes allows (${options.maxOutputBytes}).`,
            {
              limit: 'commandOutputBytes',
              max: options.maxOutputBytes,
            },
          ),
        )
      }
    })
    return () => Buffer.concat(chunks).toString('utf8')
  }
  const stdout = collect(child.stdout)
  const stderr = collect(child.stderr)
  child.stdin.on('error', () => undefined) // A command that does not read its input closes it.
  child.stdin.end(request.stdin ?? '')

  try {
    const ended = new Promise<number>((resolve, reject) => {
      child.once('error', (error: NodeJS.ErrnoException) =>
        reject(
          error.code === 'ENOENT'
            ? new AppError(
                'NOT_FOUND',
                `The command ${command} is not installed where this runner runs, or its folder ${cwd} does not exist.`,
                { what: 'command', id: command },
              )
            : error,
        ),
      )
      child.once('close', (code, signal) => resolve(code ?? 128 + (signal === 'SIGKILL' ? 9 : 15)))
    })
    running.add(ended)
    const exitCode = await ended.finally(() => running.delete(ended))
    if (failure !== undefined) throw failure
    return { exitCode, stdout: stdout(), stderr: stderr(), durationMs: Math.round(performance.now() - began) }
  } finally {
    clearTimeout(timer)
    options.signal.removeEventListener('abort', onAbort)
  }
}

/** The folder asked for, with links resolved, when the grant covers it. No folders in the grant mean any. */
async function workingFolder(asked: string | null, folders: string[], command: string): Promise<string> {
  const wanted = asked ?? folders[0]
  if (wanted === undefined)
    throw new AppError('BAD_INPUT', `exec of ${command} needs a cwd: its grant names no folder.`, { field: 'cwd' })
  const real = await realpath(wanted).catch(() => {
    throw new AppError('BAD_INPUT', `The folder ${wanted} does not exist where this runner runs.`, { field: 'cwd' })
  })
  if (folders.length === 0) return real
  for (const folder of folders) {
    const allowed = await realpath(folder).catch(() => null)
    if (
      allowed !== null &&
      (real === allowed || real.startsWith(allowed.endsWith(path.sep) ? allowed : allowed + path.sep))
    )
      return real
  }
  throw new AppError('NOT_GRANTED', `${command} may run in ${folders.join(', ')}, not in ${wanted}.`, {
    permission: `exec:${command}`,
  })
}
