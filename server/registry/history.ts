import type { Queryable } from '@/db/client'
import { readHistory } from '@/db/queries/registry/read-events'
import { readWorkflow } from '@/db/queries/registry/read-workflow'
import { AppError } from '@/server/kernel/errors'
import { workflowNotFound } from './not-found'
import type { RegistryEvent } from './views'

/** Every event of a workflow, newest first. The cursor is the `seq` of the last event of the page before. */
export async function workflowHistory(
  db: Queryable,
  { name, cursor, limit }: { name: string; cursor?: string | undefined; limit: number },
): Promise<{ items: RegistryEvent[]; nextCursor: string | null }> {
  if (!(await readWorkflow(db, name))) throw workflowNotFound(name)
  const rows = await readHistory(db, {
    name,
    before: cursor === undefined ? undefined : seqOf(cursor),
    limit: limit + 1,
  })
  const items = rows.slice(0, limit).map(({ total, completed, failed, at, ...event }) => ({
    ...event,
    at: at.toISOString(),
    threads: { total, completed, failed },
  }))
  return { items, nextCursor: rows.length > limit ? String(items.at(-1)?.seq) : null }
}

function seqOf(cursor: string): number {
  const seq = /^\d{1,15}$/.test(cursor) ? Number(cursor) : Number.NaN
  if (Number.isNaN(seq)) {
    throw new AppError('BAD_INPUT', 'The cursor must be one that an earlier page gave as nextCursor.', {
      field: 'cursor',
    })
  }
  return seq
}
