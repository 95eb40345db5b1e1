import { createContext, Script } from 'node:vm'

const script = new Script('check()')

/** The work used up its time; or so little of a processor was free for it, so often, that it was given up. */
export class OutOfTime extends Error {
  override readonly name = 'OutOfTime'
}

/** For a process that is stopped and continued again and again: no answer is better than none for ever. */
const MAX_TRIES = 20

/**
 * Runs `check`, and ends it when it has used `ms` milliseconds of processor: whatever it does, the search of a regular expression too.
 * A clock alone would blame it for a machine that is busy and for a process that was stopped, so work that was ended by the
 * clock with processor time left is begun again. Throws OutOfTime. The context shields from nothing; what runs in it is ours.
 */
export function withinTime<T>(check: () => T, ms: number): T {
  const context = createContext({ check })
  const began = process.cpuUsage()
  for (let tries = 1; ; tries++) {
    try {
      return script.runInContext(context, { timeout: ms })
    } catch (error) {
      if (!endedByClock(error)) throw error
      const { user, system } = process.cpuUsage(began)
      if ((user + system) / 1000 >= ms || tries >= MAX_TRIES) throw new OutOfTime(`It takes longer than ${ms} ms.`)
    }
  }
}

function endedByClock(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}
