import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'
import type { ThreadRow } from './read-thread'

export type ListFilter = {
  workflow?: string | undefined
  status?: readonly string[] | undefined
  actor?: string | undefined
  tag?: string | undefined
  /** Part of the excerpt, in any case. */
  text?: string | undefined
  /** Only threads with a smaller id. */
  before?: string | undefined
  limit: number
}

export type ListRow = Pick<
  ThreadRow,
  | 'id'
  | 'workflow'
  | 'bundle'
  | 'status'
  | 'control'
  | 'steps'
  | 'excerpt'
  | 'tags'
  | 'actor'
  | 'origin'
  | 'attempt'
  | 'runner'
  | 'returnCode'
  | 'summary'
  | 'createdAt'
  | 'startedAt'
  | 'finishedAt'
  | 'updatedAt'
>

/**
 * Newest first. Statuses are read one by one from the index by (status, id) and merged, so that each page costs the same
 * however many threads have the others.
 */
export async function readList(q: Queryable, filter: ListFilter): Promise<ListRow[]> {
  return mapped(listStatement(q, filter))
}

/** The statement itself, so that a test can ask for its plan. */
export function listStatement({ sql }: Queryable, filter: ListFilter) {
  const page = sql`
    select id, workflow, bundle, t.status, control, steps, excerpt, tags, actor, origin, attempt, runner,
      return_code as "returnCode", summary, created_at as "createdAt", started_at as "startedAt",
      finished_at as "finishedAt", updated_at as "updatedAt"
    from threads t
    where ${filter.before === undefined ? sql`true` : sql`id < ${filter.before}`}
      ${filter.workflow === undefined ? sql`` : sql`and workflow = ${filter.workflow}`}
      ${filter.actor === undefined ? sql`` : sql`and actor = ${filter.actor}`}
      ${filter.tag === undefined ? sql`` : sql`and tags @> ${[filter.tag]}::text[]`}
      ${filter.text === undefined ? sql`` : sql`and excerpt ilike ${`%${escapeLike(filter.text)}%`}`}
      ${filter.status === undefined ? sql`` : sql`and t.status = s.status`}
    order by id desc
    limit ${filter.limit}`
  if (filter.status === undefined) return sql<ListRow[]>`${page}`
  return sql<ListRow[]>`
    select t.* from unnest(${filter.status as string[]}::text[]) s(status) cross join lateral (${page}) t
    order by t.id desc
    limit ${filter.limit}`
}

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}
