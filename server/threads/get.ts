import type { Queryable } from '@/db/client'
import { readStart } from '@/db/queries/threads/read-start'
import { readThread } from '@/db/queries/threads/read-thread'
import { readOpenWait } from '@/db/queries/threads/read-waits'
import { queuedReason } from './explain-queued'
import { threadNotFound } from './not-found'
import { isFinished } from './status'
import { contentText, startPayload } from './stored-nodes'
import { summaryOf } from './summary-view'
import type { ThreadDetail } from './views'
import { waitView } from './waits'

/** Throws NOT_FOUND. */
export async function getThread(db: Queryable, id: string): Promise<ThreadDetail> {
  const row = await readThread(db, id)
  if (row === null) throw threadNotFound(id)
  const [start, wait, queued] = await Promise.all([
    readStart(db, row.start),
    isFinished(row.status) ? null : readOpenWait(db, id),
    queuedReason(db, row),
  ])
  return {
    ...summaryOf(row),
    start: row.start,
    head: row.head,
    height: row.height,
    prompt: contentText(start?.promptBody ?? null, row.start),
    input: start === null ? null : startPayload(start.body, row.start).input,
    depth: row.depth,
    parentThread: row.parentThread,
    sourceThread: row.sourceThread,
    maxRounds: row.maxRounds,
    deadlineAt: row.deadlineAt?.toISOString() ?? null,
    dryRun: row.dryRun,
    controlActor: row.controlActor,
    controlReason: row.controlReason,
    waiting: wait === null ? null : waitView(wait),
    queued,
    forkedAt: row.forkedAt,
    labels: row.labels,
    permissions: row.permissions,
    priority: row.priority,
    crashes: row.crashes,
    idleMs: row.idleMs,
  }
}
