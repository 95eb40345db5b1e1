import { readdirSync, readFileSync } from 'node:fs'

/** Clock ticks a second in /proc/<pid>/stat: 100 on every Linux that Node runs on. */
const TICKS = 100

/** Processor seconds that a process and its descendants have used, ended ones included. Linux only; NaN elsewhere. */
export function processorSeconds(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? statOf(Number(name)) : []))
  let ticks = 0
  const left = all.filter((stat) => stat.pid === pid)
  for (let stat = left.pop(); stat !== undefined; stat = left.pop()) {
    ticks += stat.ticks
    const { pid: parent } = stat
    left.push(...all.filter((child) => child.parent === parent))
  }
  return ticks / TICKS
}

type Stat = { pid: number; parent: number /** Its own, and those of children that it has waited for. */; ticks: number }

/** Nothing for a process that has just gone. */
function statOf(pid: number): Stat[] {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return []
  }
  // The name, in brackets, may hold blanks and brackets: fields are counted after it (state is the first, see proc(5)).
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const field = (n: number) => Number(fields[n])
  return [{ pid, parent: field(1), ticks: field(11) + field(12) + field(13) + field(14) }]
}
