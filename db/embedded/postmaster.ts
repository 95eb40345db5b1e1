import { linkSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { log } from '@/server/kernel/log'
import { commandOf } from './process-table'

export type Postmaster = { pid: number; port: number; status: 'starting' | 'ready' | 'stopping' }

const STATUSES = new Map([
  ['ready', 'ready'],
  ['stopping', 'stopping'],
] as const)

/** What the server that lives in the folder wrote down; undefined when none runs there. Removes what a dead one left. */
export function findPostmaster(dataFolder: string): Postmaster | undefined {
  const file = join(dataFolder, 'postmaster.pid')
  const text = readOr(file)
  if (text === undefined) return undefined
  // Lines: pid, data folder, start, port, socket folder, address, shared memory, status (padded).
  const lines = text.split('\n').map((line) => line.trim())
  const pid = Number(lines[0])
  if (Number.isInteger(pid) && pid > 0 && isPostmaster(pid, dataFolder)) {
    return { pid, port: Number(lines[3] ?? 0), status: STATUSES.get(lines[7] as 'ready' | 'stopping') ?? 'starting' }
  }
  removeStale(file, text)
  return undefined
}

/** True when `pid` runs a server on exactly this folder; a reused pid or another program does not. */
export function isPostmaster(pid: number, dataFolder: string): boolean {
  return `${commandOf(pid) ?? ''} `.includes(` -D ${dataFolder} `)
}

/** Resolves to true as soon as the process is gone, to false after `ms`. */
export async function gone(pid: number, dataFolder: string, ms: number): Promise<boolean> {
  const end = performance.now() + ms
  while (isPostmaster(pid, dataFolder)) {
    if (performance.now() > end) return false
    await pause(20)
  }
  return true
}

/**
 * Postgres itself refuses to start while the pid in the file belongs to any process, so a file of a dead server has to go.
 * Another starter may have replaced it by that of a live server meanwhile: look again after taking it away.
 */
function removeStale(file: string, seen: string): void {
  const taken = `${file}.stale-${process.pid}`
  try {
    renameSync(file, taken)
  } catch (error) {
    if (isMissing(error)) return
    throw error
  }
  if (readOr(taken) === seen) log.warn({ file }, 'removed the pid file of a Postgres that no longer runs')
  else linkSync(taken, file)
  rmSync(taken)
}

function readOr(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
