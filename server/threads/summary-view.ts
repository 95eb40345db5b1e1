import type { ListRow } from '@/db/queries/threads/read-list'
import type { ThreadSummary } from './views'

export function summaryOf(row: ListRow): ThreadSummary {
  return {
    id: row.id,
    workflow: row.workflow,
    bundle: row.bundle,
    status: row.status,
    control: row.control,
    steps: row.steps,
    excerpt: row.excerpt,
    tags: row.tags,
    actor: row.actor,
    origin: row.origin,
    attempt: row.attempt,
    runner: row.runner,
    returnCode: row.returnCode,
    summary: row.summary,
    createdAt: row.createdAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    finishedAt: row.finishedAt?.toISOString() ?? null,
    updatedAt: row.updatedAt.toISOString(),
  }
}
