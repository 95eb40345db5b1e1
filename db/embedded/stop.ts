import { setTimeout as pause } from 'node:timers/promises'
import { AppError } from '@/server/kernel/errors'
import { log } from '@/server/kernel/log'
import { gone, isPostmaster } from './postmaster'
import { processesIn } from './process-table'

/** How long each signal may take. SIGINT ends sessions and writes a checkpoint; SIGQUIT leaves that to the next start. */
const STEPS = [
  { signal: 'SIGINT', ms: 30_000 },
  { signal: 'SIGQUIT', ms: 10_000 },
  { signal: 'SIGKILL', ms: 5_000 },
] as const

/** Comes back when the server and all its processes are gone; harder with each step that does not help. */
export async function stopPostmaster(pid: number, dataFolder: string): Promise<void> {
  for (const { signal, ms } of STEPS) {
    const pids = signal === 'SIGKILL' ? [pid, ...processesIn(dataFolder)] : [pid]
    for (const target of pids) send(target, signal, target === pid ? dataFolder : undefined)
    if ((await gone(pid, dataFolder, ms)) && (await emptied(dataFolder))) return
    log.warn({ pid, signal, ms }, 'Postgres did not stop in time')
  }
  throw new AppError('INTERNAL', `Postgres (process ${pid}) does not stop, not even when killed. Look at the disk.`, {})
}

/** The last moments of a process in the kernel, in which it still counts as being in the folder. */
async function emptied(dataFolder: string): Promise<boolean> {
  for (let tries = 0; tries < 250; tries++) {
    if (processesIn(dataFolder).length === 0) return true
    await pause(20)
  }
  return false
}

function send(pid: number, signal: NodeJS.Signals, dataFolder: string | undefined): void {
  if (dataFolder !== undefined && !isPostmaster(pid, dataFolder)) return
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
