import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { birthOf, commandOf } from './process-table'

const FILE = 'cairn.owner'
const SETTING = 'cairn.owner'

/** Server settings that name this process as the one that started it: there before anybody can find the server. */
export function startedByMe(): string[] {
  return ['-c', `${SETTING}=${markOf(process.pid)}`]
}

/** Makes this process the one that stops the server; the last of several callers wins. */
export function takeOwnership(dataFolder: string): void {
  const draft = join(dataFolder, `${FILE}.${process.pid}`)
  writeFileSync(draft, markOf(process.pid) ?? '', { mode: 0o600 })
  renameSync(draft, join(dataFolder, FILE))
}

/** Who stops the server `pid`: `mine`, `other` = another process that still runs, `none` = its process is gone. */
export function ownership(dataFolder: string, pid: number): 'mine' | 'other' | 'none' {
  const starter = new RegExp(`-c ${SETTING.replace('.', '\\.')}=(\\S+)`).exec(commandOf(pid) ?? '')?.[1]
  const owner = [read(dataFolder), starter].find(
    (mark) => mark !== undefined && mark === markOf(Number.parseInt(mark, 10)),
  )
  if (owner === undefined) return 'none'
  return owner === markOf(process.pid) ? 'mine' : 'other'
}

export function dropOwnership(dataFolder: string): void {
  rmSync(join(dataFolder, FILE), { force: true })
}

/** `<pid>.<birth>`: a later process with the same pid has another mark. Undefined when the process does not run. */
export function markOf(pid: number): string | undefined {
  const birth = birthOf(pid)
  return birth === undefined ? undefined : `${pid}.${birth.replaceAll(/\W/g, '_')}`
}

function read(dataFolder: string): string | undefined {
  try {
    return readFileSync(join(dataFolder, FILE), 'utf8').trim()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
