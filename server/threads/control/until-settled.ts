import { AppError } from '@/server/kernel/errors'

/**
 * A command reads a thread, decides, and writes under a guard; when the thread has moved between, it looks again. This often,
 * at most: each time somebody else's command or a runner got ahead.
 */
const ATTEMPTS = 50

/** Calls `attempt` until it answers with something else than null. Throws UNAVAILABLE when the thread never stands still. */
export async function untilSettled<T>(id: string, attempt: () => Promise<T | null>): Promise<T> {
  for (let tries = 0; tries < ATTEMPTS; tries++) {
    const settled = await attempt()
    if (settled !== null) return settled
  }
  const message = `Thread ${id} kept changing while the command looked at it. Nothing was written; give it again.`
  throw new AppError('UNAVAILABLE', message, { dependency: 'thread' })
}
