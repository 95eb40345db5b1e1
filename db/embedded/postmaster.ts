import { linkSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { log } from '@/server/kernel/log'
import { commandOf } from './process-table'

export type Postmaster = { pid: number; port: number; status: 'starting' | 'ready' | 'stopping' }

/** A file is empty for the moment between its making and its writing; one that stays so was left by a crash. */
const EMPTY_MS = 3_000

/** What the server that lives in the folder wrote down; undefined when none runs there. Removes what a dead one left. */
export function findPostmaster(dataFolder: string): Postmaster | undefined {
  const file = join(dataFolder, 'postmaster.pid')
  const text = readOr(file)
  if (text === undefined) return undefined
  if (text === '' && ageOf(file) < EMPTY_MS) return { pid: 0, port: 0, status: 'starting' }
  // Lines: pid, data folder, start, port, socket folder, address, shared memory, status (padded).
  const [pid = 0, , , port = 0] = text.split('\n').map(Number)
  const status = text.split('\n')[7]?.trim()
  if (Number.isInteger(pid) && pid > 0 && isPostmaster(pid, dataFolder)) {
    return { pid, port, status: status === 'ready' || status === 'stopping' ? status : 'starting' }
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

function ageOf(file: string): number {
  const made = statSync(file, { throwIfNoEntry: false })?.mtimeMs
  return made === undefined ? 0 : Date.now() - made
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
