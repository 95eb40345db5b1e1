import type { Queryable } from '@/db/client'
import { askRunner } from '@/db/queries/threads/ask-runner'
import { endUnheld } from '@/db/queries/threads/end-unheld'
import { readThread } from '@/db/queries/threads/read-thread'
import { AppError } from '@/server/kernel/errors'
import { END } from '@/server/kernel/ids'
import { testPoint } from '@/server/kernel/test-point'
import { buildNext, linkedContent, loadTop } from '../chain-top'
import { threadNotFound } from '../not-found'
import { EXIT, isFinished, statusOf } from '../status'
import { untilSettled } from './until-settled'

/**
 * Writes the end node of a thread that no runner holds. `running`: a runner holds it, and is the one to end it; `finished`: it
 * has its end already; in both cases nothing was written. Throws NOT_FOUND.
 */
export async function endThread(
  db: Queryable,
  { id, returnCode, summary, actor }: { id: string; returnCode: number; summary: string; actor: string },
): Promise<'ended' | 'running' | 'finished'> {
  const status = statusOf(returnCode)
  if (status === 'dropped') throw new AppError('INTERNAL', 'No return code drops a thread.', {})
  return untilSettled(id, async () => {
    const thread = await readThread(db, id)
    if (thread === null) throw threadNotFound(id)
    if (thread.status === 'running') return 'running'
    if (isFinished(thread.status)) return 'finished'
    const top = await loadTop(db, thread.head, thread.start)
    const content = linkedContent(summary)
    const meta = { returnCode, summary }
    const node = buildNext(top, { role: END, meta, content, childThread: null, now: top.now })
    await testPoint('end-thread:before-write')
    const done = await endUnheld(db, {
      thread: id,
      token: thread.leaseToken,
      expected: thread.head,
      node: { ...node, role: END, start: thread.start, content },
      status,
      returnCode,
      summary,
      actor,
    })
    return done ? 'ended' : null
  })
}

/**
 * Ends a thread with 137, at once where no runner holds it (`done`), else by asking the runner that does (`requested`, also when
 * that was asked before). `finished`: it has its end already. Throws NOT_FOUND.
 */
export async function killThread(
  db: Queryable,
  { id, actor, reason }: { id: string; actor: string; reason: string | null },
): Promise<'done' | 'requested' | 'finished'> {
  return untilSettled(id, async () => {
    const ended = await endThread(db, { id, returnCode: EXIT.killed, summary: killSummary(actor, reason), actor })
    if (ended === 'ended') return 'done'
    if (ended === 'finished') return 'finished'
    const thread = await readThread(db, id)
    if (thread?.status !== 'running') return null
    if (thread.control === 'kill') return 'requested'
    const event = 'kill_requested'
    const asked = await askRunner(db, { thread: id, from: thread.control, to: 'kill', event, actor, reason })
    return asked ? 'requested' : null
  })
}

/** What the end node of a killed thread says: who did it, and why. */
export function killSummary(actor: string, reason: string | null): string {
  return `Killed by ${actor}${reason === null || reason === '' ? '.' : `: ${reason}`}`
}
