import { and, arrayContains, desc, eq, ilike, lt } from 'drizzle-orm'
import { unionAll } from 'drizzle-orm/pg-core'
import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'
import { threads } from '@/db/schema/threads'
import { THREAD_STATUSES, type ThreadStatus } from '@/server/threads/status'
import type { ThreadRow } from './read-thread'

export type ListFilter = {
  workflow?: string | undefined
  /** One or more; without it any. */
  status?: readonly ThreadStatus[] | undefined
  actor?: string | undefined
  tag?: string | undefined
  /** Part of the excerpt, in any case. */
  text?: string | undefined
  /** Only threads with a smaller id. */
  before?: string | undefined
  limit: number
}

const columns = {
  id: threads.id,
  workflow: threads.workflow,
  bundle: threads.bundle,
  status: threads.status,
  control: threads.control,
  steps: threads.steps,
  excerpt: threads.excerpt,
  tags: threads.tags,
  actor: threads.actor,
  origin: threads.origin,
  attempt: threads.attempt,
  runner: threads.runner,
  returnCode: threads.returnCode,
  summary: threads.summary,
  createdAt: threads.createdAt,
  startedAt: threads.startedAt,
  finishedAt: threads.finishedAt,
  updatedAt: threads.updatedAt,
}
export type ListRow = Pick<ThreadRow, keyof typeof columns>

/** Newest first. */
export async function readList(q: Queryable, filter: ListFilter): Promise<ListRow[]> {
  return mapped(listStatement(q, filter))
}

/**
 * The statement itself, so that a test can ask for its plan.
 *
 * Where statuses matter, each is a branch of its own that one index answers in order, and the branches are merged: a page
 * costs the same however many threads have the other statuses. Sent unprepared, as drizzle does, so that the planner knows
 * the values: a plan for any workflow and any tag would be wrong for the rare ones.
 */
export function listStatement({ orm }: Queryable, { status, limit, ...filter }: ListFilter) {
  const branch = (one?: ThreadStatus) =>
    orm
      .select(columns)
      .from(threads)
      .where(
        and(
          filter.before === undefined ? undefined : lt(threads.id, filter.before),
          filter.workflow === undefined ? undefined : eq(threads.workflow, filter.workflow),
          filter.actor === undefined ? undefined : eq(threads.actor, filter.actor),
          filter.tag === undefined ? undefined : arrayContains(threads.tags, [filter.tag]),
          filter.text === undefined ? undefined : ilike(threads.excerpt, `%${escapeLike(filter.text)}%`),
          one === undefined ? undefined : eq(threads.status, one),
        ),
      )
      .orderBy(desc(threads.id))
      .limit(limit)
  // The index by workflow goes on with the status, so a workflow's threads are read status by status.
  const statuses = status ?? (filter.workflow === undefined ? [] : THREAD_STATUSES)
  const [first, second, ...others] = statuses.map((one) => branch(one))
  if (first === undefined) return branch()
  if (second === undefined) return first
  return unionAll(first, second, ...others)
    .orderBy(desc(threads.id))
    .limit(limit)
}

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}
