import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import type { Queryable } from '@/db/client'
import { openSession, type Session } from '@/db/session'
import { AppError, isAppError } from '@/server/kernel/errors'
import { testPoint } from '@/server/kernel/test-point'

/** Share of the time in which a collector works; in the rest of it others have the processor and the disk. */
const WORKING_SHARE = 0.65
/** Waits between two tries for the lock that writers hold, and how many there are. */
const LOCK_PAUSE_MS = 100
const LOCK_TRIES = 100

type Statement<T> = (session: Pick<Queryable, 'sql'>) => Promise<T>

/** A session in which one statement follows the other, each a transaction of its own. */
export type Collector = {
  step<T>(statement: Statement<T>): Promise<T>
  /** A statement that needs the lock `cairn gc` alone: tried again while writers keep it. */
  alone<T>(statement: Statement<T>): Promise<T>
  close(): Promise<void>
}

export function openCollector(url: string): Collector {
  const session = openSession(url, 'cairn-gc')
  const step = async <T>(statement: Statement<T>): Promise<T> => {
    await testPoint('gc:statement')
    refuseLost(session)
    const began = performance.now()
    const result = await statement(session)
    // A statement that the driver sent on a new connection found nothing of what the earlier ones left.
    refuseLost(session)
    await pause((performance.now() - began) * (1 / WORKING_SHARE - 1))
    return result
  }
  const alone = async <T>(statement: Statement<T>): Promise<T> => {
    for (let tries = 1; ; tries++) {
      try {
        return await step(statement)
      } catch (error) {
        if (tries >= LOCK_TRIES || session.lost() || !isAppError(error, 'UNAVAILABLE')) throw error
      }
      await pause(Math.random() * LOCK_PAUSE_MS)
    }
  }
  return { step, alone, close: session.close }
}

function refuseLost(session: Session): void {
  if (!session.lost()) return
  throw new AppError(
    'UNAVAILABLE',
    'The connection of the collection was lost. Start it again: it goes on where that is possible.',
    { dependency: 'database' },
  )
}
