import type { Queryable } from '@/db/client'
import { readList } from '@/db/queries/threads/read-list'
import { readWaitKinds } from '@/db/queries/threads/read-wait-kinds'
import type { ThreadStatus } from './status'
import { summaryOf } from './summary-view'
import type { ThreadListItem } from './views'

export type ThreadListQuery = {
  workflow?: string | undefined
  /** None and an empty list both mean any. */
  status?: ThreadStatus[] | undefined
  actor?: string | undefined
  tag?: string | undefined
  text?: string | undefined
  /** `nextCursor` of the page before. */
  cursor?: string | undefined
  limit: number
}

/** Newest first; every filter narrows. */
export async function listThreads(
  db: Queryable,
  query: ThreadListQuery,
): Promise<{ items: ThreadListItem[]; nextCursor: string | null }> {
  const { cursor, status, limit, ...filter } = query
  const statuses = status === undefined || status.length === 0 ? undefined : [...new Set(status)]
  const rows = await readList(db, { ...filter, status: statuses, before: cursor, limit: limit + 1 })
  const page = rows.slice(0, limit)
  const mayWait = page.filter((row) => row.status === 'waiting' || row.status === 'paused')
  const waits = await readWaitKinds(
    db,
    mayWait.map((row) => row.id),
  )
  const items = page.map((row) => ({ ...summaryOf(row), waitsFor: waits.get(row.id) ?? null }))
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null }
}
