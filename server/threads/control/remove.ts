import type { Queryable } from '@/db/client'
import { readThread } from '@/db/queries/threads/read-thread'
import { removeThreadRow } from '@/db/queries/threads/remove-thread'
import { testPoint } from '@/server/kernel/test-point'
import { threadNotFound } from '../not-found'
import { type Given, refused } from './control'
import { decide } from './decide'
import { untilSettled } from './until-settled'

/**
 * Removes a thread from every list, with its waits, inputs and logs. Its nodes stay until they are collected, so forks of it and
 * nodes that name its end lose nothing. Throws CONFLICT for one that runs, and NOT_FOUND.
 */
export async function removeThread(
  db: Queryable,
  { id, reason }: Given,
  actor: { name: string },
): Promise<{ effect: 'done' }> {
  return untilSettled(id, async () => {
    const thread = await readThread(db, id)
    if (thread === null) throw threadNotFound(id)
    const decision = decide(thread, 'remove')
    if (decision.do === 'refuse') throw refused(thread, 'remove', decision.why)
    await testPoint('remove:before-write')
    const removal = { thread: id, from: thread.status, actor: actor.name, reason: reason ?? null }
    return (await removeThreadRow(db, removal)) ? { effect: 'done' } : null
  })
}
