import { setTimeout as pause } from 'node:timers/promises'
import { log } from '@/server/kernel/log'
import { type ProcessRow, processTable } from './process-table'

/** Whose processes are meant: those whose COMMAND_VARIABLE begins with `cookie`, those in this group, and their descendants. */
export type CommandTree = { cookie: string; group: number | null }

/** Between two looks at what is still alive: at first, and at most, for the longer they take the less a moment matters. */
const LOOK_MS = { first: 10, most: 160 }
/** How old a look may be that another command's end took. */
const SHARED_MS = 20
/** After SIGKILL, a process that lives on for so long hangs in the kernel. */
const MAX_DYING_MS = 10_000

/**
 * Sends SIGTERM to all of a tree, and SIGKILL to what is alive after `graceMs`; resolves when nothing is, which may be much
 * sooner. On Linux that covers processes that left the group, unless they threw their environment away and their parent has
 * ended; elsewhere it covers the group.
 */
export async function endTree(tree: CommandTree, graceMs: number): Promise<void> {
  const began = performance.now()
  /** Outside of the group, which is told as one. Nobody is told twice: to many programs that means to hurry. */
  const told = new Set<number>()
  if (tree.group !== null) tell(-tree.group, 'SIGTERM')
  let waitMs = LOOK_MS.first
  for (;;) {
    const alive = living(tree, began)
    if (alive.length === 0) return
    const elapsed = performance.now() - began
    if (elapsed < graceMs) {
      for (const { pid, group } of alive) {
        if (group === tree.group || told.has(pid)) continue
        told.add(pid)
        tell(pid, 'SIGTERM')
      }
    } else {
      // Each time again: something may have been forked meanwhile.
      for (const { pid } of alive) tell(pid, 'SIGKILL')
      if (elapsed > graceMs + MAX_DYING_MS) {
        log.error({ pids: alive.map(({ pid }) => pid) }, 'processes of a command outlive SIGKILL')
        return
      }
    }
    await pause(elapsed < graceMs ? Math.min(waitMs, graceMs - elapsed) : LOOK_MS.first)
    waitMs = Math.min(waitMs * 2, LOOK_MS.most)
  }
}

/** What of a tree is alive. Where a group is all that we can see, its negative number stands for it, as `kill` takes it. */
function living({ cookie, group }: CommandTree, began: number): Pick<ProcessRow, 'pid' | 'group'>[] {
  if (process.platform !== 'linux') return group !== null && tell(-group, 0) ? [{ pid: -group, group }] : []
  const rows = processTable(Math.max(began, performance.now() - SHARED_MS))
  const found = rows.filter((row) => row.group === group || row.cookie?.startsWith(cookie))
  const known = new Set(found.map((row) => row.pid))
  for (const row of found) {
    for (const child of rows) {
      if (child.parent !== row.pid || known.has(child.pid)) continue
      known.add(child.pid)
      found.push(child)
    }
  }
  return found
}

function tell(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false // It ended, or runs as somebody else now.
  }
}
