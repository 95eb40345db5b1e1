import { readdirSync, readFileSync } from 'node:fs'

export type ProcessRow = { pid: number; parent: number; command: string }

/** Every process that lives now; zombies are dead. Linux only, as the fault tests are. */
export function processes(): ProcessRow[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      if (state === 'Z') return []
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ')
      return [{ pid: Number(name), parent: Number(parent), command }]
    } catch {
      return [] // It ended while we looked.
    }
  })
}

/** All that descends from a process, its workers' launchers and their children included. */
export function descendants(pid: number): ProcessRow[] {
  const all = processes()
  const found = all.filter((row) => row.parent === pid)
  for (const row of found) found.push(...all.filter((other) => other.parent === row.pid))
  return found
}

/** The processes of a runner's workers: launcher and Node for each. */
export function workersOf(pid: number): ProcessRow[] {
  return descendants(pid).filter((row) => row.command.includes('--input-type=module'))
}

export function isAlive(pid: number): boolean {
  return processes().some((row) => row.pid === pid)
}
