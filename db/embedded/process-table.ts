import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** A process by what a reused pid cannot fake: undefined when there is none, also when it is a zombie. */
export function commandOf(pid: number): string | undefined {
  if (process.platform === 'linux')
    return readOr(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim())
  return readOr(() => execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).trim())
}

/** Text that differs between two processes which had the same pid one after the other; undefined when it does not run. */
export function birthOf(pid: number): string | undefined {
  if (process.platform === 'linux') {
    // The name in parentheses may hold spaces; after it, the state is field 1 and the start in ticks field 20.
    const fields = readOr(() => readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, ''))?.split(' ')
    return fields === undefined || fields[0] === 'Z' ? undefined : fields[19]
  }
  return readOr(() => execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim())
}

/** Cheap enough to ask all the time. A zombie is not alive. */
export function isAlive(pid: number): boolean {
  if (process.platform === 'linux') return birthOf(pid) !== undefined
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Processes that work in `folder`: a server and its children do. Linux only; elsewhere nothing is found. */
export function processesIn(folder: string): number[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => readOr(() => readlinkSync(`/proc/${pid}/cwd`)) === folder)
    .map(Number)
}

/** Undefined for what is not there (any more) or is not ours to see. */
function readOr(read: () => string): string | undefined {
  try {
    return read() || undefined
  } catch {
    return undefined
  }
}
