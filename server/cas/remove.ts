import { type Database, withTransaction } from '@/db/client'
import { findRefs } from '@/db/queries/cas/find-refs'
import { deleteBlob, findHoldersOf, findThreadOn, type Holder, lockOutWriters } from '@/db/queries/cas/remove-object'
import type { Actor } from '@/server/access/actor'
import { AppError, isAppError } from '@/server/kernel/errors'
import type { Hash } from '@/server/kernel/ids'
import { log } from '@/server/kernel/log'
import { objectNotFound } from './not-found'

/** Holders that a refusal names, at most. */
const MAX_NAMED = 10
/** Tries for the lock that writers hold for moments. */
const ATTEMPTS = 5

/**
 * Deletes a content, group or raw blob at once, however young. Throws CONFLICT naming what holds it, also for the steps and
 * start nodes of a thread, which go with it; NOT_FOUND.
 */
export async function removeObject(db: Database, hash: Hash, actor: Pick<Actor, 'name'>): Promise<{ hash: string }> {
  const [found] = await findRefs(db, [hash])
  if (found === undefined) throw objectNotFound(hash)
  if (found.type === 'state' || found.type === 'start') {
    throw partOfHistory(hash, found.type, await findThreadOn(db, hash))
  }
  for (let attempt = 1; ; attempt++) {
    try {
      await withTransaction(db, async (tx) => {
        await lockOutWriters(tx)
        const holders = await findHoldersOf(tx, hash, MAX_NAMED)
        if (holders.length > 0) throw held(hash, holders)
        if (!(await deleteBlob(tx, hash))) throw objectNotFound(hash)
      })
      break
    } catch (error) {
      if (attempt === ATTEMPTS || !isAppError(error, 'UNAVAILABLE')) throw error
    }
  }
  log.info({ hash, actor: actor.name }, 'an object was removed by hand')
  return { hash }
}

function held(hash: string, holders: readonly Holder[]): AppError<'CONFLICT'> {
  const named = holders.map(({ kind, id }) => `${kind} ${kind === 'pin' ? 'of ' : ''}${id}`).join(', ')
  const more = holders.length === MAX_NAMED ? ' and perhaps more' : ''
  return new AppError(
    'CONFLICT',
    `${hash} is referred to by ${named}${more}. Remove these first; garbage collection does it with a thread's history.`,
    { current: 'referenced' },
  )
}

function partOfHistory(hash: string, type: 'state' | 'start', thread: string | null): AppError<'CONFLICT'> {
  const what = type === 'state' ? 'a node of a history' : 'a start node'
  const how =
    thread === null
      ? 'Nothing needs it any more if no thread shares it: garbage collection decides that.'
      : `Thread ${thread} has it: remove the threads that share it, and garbage collection takes it.`
  return new AppError('CONFLICT', `${hash} is ${what}, which is not removed by itself. ${how}`, {
    current: 'referenced',
  })
}
