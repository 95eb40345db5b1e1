import type { Queryable } from '@/db/client'
import { readThread } from '@/db/queries/threads/read-thread'
import { retryThreadRow } from '@/db/queries/threads/retry-thread'
import { AppError } from '@/server/kernel/errors'
import { RETRY_MARKER } from '@/server/kernel/ids'
import { testPoint } from '@/server/kernel/test-point'
import { buildNext, linkedContent, loadTop } from '../chain-top'
import { threadNotFound } from '../not-found'
import { type Given, refused } from './control'
import { decide } from './decide'
import { untilSettled } from './until-settled'

/**
 * Lets a thread that failed or was killed go on where it ended: its end stays in the history, a marker follows it, and the role
 * that was to come runs again. Throws CONFLICT with the current status for any other thread, and NOT_FOUND.
 */
export async function retryThread(
  db: Queryable,
  { id, reason = undefined }: Given,
  actor: { name: string },
): Promise<{ effect: 'done'; status: 'queued' }> {
  return untilSettled(id, async () => {
    const thread = await readThread(db, id)
    if (thread === null) throw threadNotFound(id)
    const decision = decide(thread, 'retry')
    if (decision.do === 'refuse') throw refused(thread, 'retry', decision.why)
    if (decision.do !== 'retry') throw new AppError('INTERNAL', `A retry was decided as ${decision.do}.`, {})
    const top = await loadTop(db, thread.head, thread.start)
    const content = linkedContent(reason ?? '')
    const meta = { actor: actor.name }
    const node = buildNext(top, { role: RETRY_MARKER, meta, content, childThread: null, now: top.now })
    await testPoint('retry:before-write')
    const done = await retryThreadRow(db, {
      thread: id,
      expected: thread.head,
      node: { ...node, role: RETRY_MARKER, start: thread.start, content },
      actor: actor.name,
      reason: reason ?? null,
    })
    return done ? { effect: 'done', status: 'queued' } : null
  })
}
