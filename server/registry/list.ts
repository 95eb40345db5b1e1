import type { Queryable } from '@/db/client'
import { listActive } from '@/db/queries/registry/list-workflows'
import type { WorkflowSummary } from './views'

/** Threads in the sparkline of a workflow. */
const RECENT_THREADS = 20

/** Active workflows by name. The cursor is the last name of the page before. */
export async function listWorkflows(
  db: Queryable,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
): Promise<{ items: WorkflowSummary[]; nextCursor: string | null }> {
  const rows = await listActive(db, { after: cursor, limit: limit + 1, recent: RECENT_THREADS })
  const items = rows.slice(0, limit).map((row) => ({ ...row, updatedAt: row.updatedAt.toISOString() }))
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.name ?? null) : null }
}
