import type { ExecResult } from '@/sdk/types'
import { AppError } from '@/server/kernel/errors'
import type { Grants } from '@/server/registry/views'
import { allowedFolder } from './allowed-folder'
import { guardCommands, newCookie } from './command-guard'
import { endTree } from './command-tree'
import { type CommandOptions, type ExecRequest, runCommand } from './run-command'

/** The commands of one run of a thread. */
export type CommandSet = {
  /**
   * Runs a command that the workflow was granted. Throws NOT_GRANTED, BAD_INPUT (folder), NOT_FOUND (command), TIMEOUT (also
   * when `signal` aborts) or LIMIT_EXCEEDED (output); a non-zero exit is a result.
   */
  run(request: ExecRequest, grants: Grants, options: CommandOptions): Promise<ExecResult>
  /**
   * For when the run is over and `signal` has aborted: ends what its commands left in the background, and resolves when nothing
   * of them runs any more. Never rejects.
   */
  ended(): Promise<void>
}

/** What of commands runs or is being ended now, in this process. */
const running = new Set<Promise<unknown>>()

/** Resolves when no command of this process runs any more. Those whose thread ended do so within the grace that SIGTERM gives. */
export async function commandsEnded(): Promise<void> {
  while (running.size > 0) await Promise.allSettled([...running])
}

export function commandSet(): CommandSet {
  const cookie = newCookie()
  const mine = new Set<Promise<unknown>>()
  let longestGraceMs = 0
  let count = 0

  function track<T>(work: Promise<T>): Promise<T> {
    for (const set of [mine, running]) set.add(work)
    const forget = () => {
      for (const set of [mine, running]) set.delete(work)
    }
    work.then(forget, forget)
    return work
  }

  return {
    async run(request, grants, options) {
      const cwd = await allowedFolder(request, grants, options.dryRun)
      if (options.signal.aborted)
        throw new AppError('TIMEOUT', `${request.command} was not run, because its thread was ended.`, { afterMs: 0 })
      guardCommands()
      longestGraceMs = Math.max(longestGraceMs, options.graceMs)
      count += 1
      return track(runCommand(request, cwd, `${cookie}.${count}.`, options))
    },
    async ended() {
      while (mine.size > 0) await Promise.allSettled([...mine])
      if (count > 0) await track(endTree({ cookie, group: null }, longestGraceMs))
    },
  }
}
