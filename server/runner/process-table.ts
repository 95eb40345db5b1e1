import { readdirSync, readFileSync } from 'node:fs'

/** A variable that every granted command is given and hands on to what it starts, into whatever group or session that goes. */
export const COMMAND_VARIABLE = 'CAIRN_COMMAND'

/** `cookie`: value of COMMAND_VARIABLE in the environment that the process began with. */
export type ProcessRow = { pid: number; parent: number; group: number; cookie: string | null }

let last: { at: number; rows: ProcessRow[] } | undefined

/**
 * Every process that lives, seen at `since` (of `performance.now()`) or later: those that end many commands at once share a
 * look. Linux only. Synchronous, because nothing under /proc waits for a disk.
 */
export function processTable(since: number): readonly ProcessRow[] {
  if (last === undefined || last.at < since) {
    const at = performance.now()
    last = { at, rows: readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? rowOf(name) : [])) }
  }
  return last.rows
}

function rowOf(name: string): ProcessRow[] {
  try {
    const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
    // After the command's name, which is in parentheses and may hold anything: state, parent, group. See proc(5).
    const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (state === 'Z' || state === 'X') return []
    return [{ pid: Number(name), parent: Number(parent), group: Number(group), cookie: cookieOf(name) }]
  } catch {
    return [] // It ended while we looked.
  }
}

function cookieOf(name: string): string | null {
  try {
    const environment = readFileSync(`/proc/${name}/environ`, 'latin1')
    const entry = environment.split('\0').find((one) => one.startsWith(`${COMMAND_VARIABLE}=`))
    return entry?.slice(COMMAND_VARIABLE.length + 1) ?? null
  } catch {
    return null // It ended, or is somebody else's.
  }
}
