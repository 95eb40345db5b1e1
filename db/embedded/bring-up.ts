import { spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { AppError } from '@/server/kernel/errors'
import { log } from '@/server/kernel/log'
import type { Identity } from './identity'
import { startedByMe } from './owner'
import { choosePort, rememberPort } from './port'
import { findPostmaster, gone } from './postmaster'
import { processesIn } from './process-table'
import { lastLines, openLog, readLog } from './server-log'
import { serverSettings } from './settings'

export type Site = {
  dataFolder: string
  logFile: string
  postgres: string
  identity: Identity
  /** Settings over the defaults of settings.ts. */
  settings: Record<string, string>
}

/** `started` is false for a server that was found running. */
export type Running = { pid: number; port: number; started: boolean }

/** Crash recovery after much writing may take its time; a server that is silent for longer than this is given up. */
const START_BOUND_MS = 180_000

/**
 * Comes back when a server is ready on the folder: one that runs already, or a new one. Of several processes at once, one
 * starts it and the others find it. With `port` a new server gets exactly that one.
 */
export async function bringUp(site: Site, port?: number): Promise<Running> {
  const end = performance.now() + START_BOUND_MS
  let refusal = ''
  while (performance.now() < end) {
    const found = findPostmaster(site.dataFolder)
    if (found?.status === 'ready') return { pid: found.pid, port: found.port, started: false }
    if (found?.status === 'stopping') await gone(found.pid, site.dataFolder, end - performance.now())
    else if (found) await pause(20)
    else {
      const started = await start(site, port ?? (await choosePort(site.dataFolder)), end)
      if ('pid' in started) return started
      refusal = started.refusal
      await giveWay(site, refusal)
    }
  }
  throw startFailed(site, `it was not ready after ${START_BOUND_MS / 1000} s`, refusal)
}

async function start(site: Site, port: number, end: number): Promise<Running | { refusal: string }> {
  const settings = await serverSettings(site.dataFolder, site.postgres, site.identity, site.settings)
  const [command = '', ...args] = [
    ...site.identity.prefix,
    ...[site.postgres, '-D', site.dataFolder, '-p', String(port)],
    ...settings,
    ...startedByMe(),
  ]
  const { fd, since } = openLog(site.logFile)
  // A group of its own: Ctrl-C in a terminal must not reach the server before those who use it have stopped.
  const child = spawn(command, args, { ...site.identity.spawn, detached: true, stdio: ['ignore', fd, fd] })
  closeSync(fd)
  let exit: string | undefined
  child.once('exit', (code, signal) => {
    exit = signal ?? `code ${code}`
  })
  child.once('error', (error) => {
    exit = error.message
  })
  child.unref()
  while (exit === undefined && performance.now() < end) {
    const found = findPostmaster(site.dataFolder)
    if (found && found.pid === child.pid && found.status === 'ready') {
      rememberPort(site.dataFolder, port)
      return { pid: found.pid, port, started: true }
    }
    await pause(20)
  }
  if (exit === undefined) child.kill('SIGQUIT')
  const output = readLog(site.logFile, since)
  if (isPassing(output)) return { refusal: output }
  throw startFailed(site, `it ended with ${exit ?? 'no answer'}`, output)
}

const OTHER_STARTER = /lock file "postmaster\.pid" already exists|could not read lock file|lock file .* is empty/
const PORT_TAKEN = /could not bind|Address already in use/
const ORPHANS = /pre-existing shared memory block/

function isPassing(output: string): boolean {
  return [OTHER_STARTER, PORT_TAKEN, ORPHANS].some((pattern) => pattern.test(output))
}

async function giveWay(site: Site, output: string): Promise<void> {
  if (ORPHANS.test(output) && !findPostmaster(site.dataFolder)) {
    // Children of a server that was killed: they end by themselves unless busy, and hold its memory until then.
    await pause(500)
    for (const pid of findPostmaster(site.dataFolder) ? [] : processesIn(site.dataFolder)) {
      log.warn({ pid }, 'ending a Postgres process whose server was killed')
      endProcess(pid)
    }
  }
  await pause(100)
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

function startFailed(site: Site, what: string, output: string): AppError<'UNAVAILABLE'> {
  return new AppError(
    'UNAVAILABLE',
    `The embedded Postgres did not start: ${what}. The end of ${site.logFile}:\n${lastLines(output, 15)}`,
    { dependency: 'embedded Postgres' },
  )
}
