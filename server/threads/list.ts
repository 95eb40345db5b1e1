import type { Queryable } from '@/db/client'
import { readList } from '@/db/queries/threads/read-list'
import type { ThreadStatus } from './status'
import { summaryOf } from './summary-view'
import type { ThreadSummary } from './views'

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
): Promise<{ items: ThreadSummary[]; nextCursor: string | null }> {
  const { cursor, status, limit, ...filter } = query
  const statuses = status === undefined || status.length === 0 ? undefined : [...new Set(status)]
  const rows = await readList(db, { ...filter, status: statuses, before: cursor, limit: limit + 1 })
  const items = rows.slice(0, limit).map(summaryOf)
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null }
}
