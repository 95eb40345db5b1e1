import type { Queryable } from '@/db/client'
import { readStart } from '@/db/queries/threads/read-start'
import { readThread } from '@/db/queries/threads/read-thread'
import { threadNotFound } from './not-found'
import { contentText, startPayload } from './stored-nodes'
import { summaryOf } from './summary-view'
import type { ThreadDetail } from './views'

/** Throws NOT_FOUND. */
export async function getThread(db: Queryable, id: string): Promise<ThreadDetail> {
  const row = await readThread(db, id)
  if (row === null) throw threadNotFound(id)
  const start = await readStart(db, row.start)
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
  }
}
