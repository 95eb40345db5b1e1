import { and, desc, eq, getTableColumns, lt, type SQL, sql } from 'drizzle-orm'
import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'
import { threads } from '@/db/schema/threads'
import type { ThreadRow } from './read-thread'

export type LineagePage = { of: string; before?: string | undefined; limit: number }

/** The threads that a thread called, newest first. */
export async function readChildren(q: Queryable, page: LineagePage): Promise<ThreadRow[]> {
  return readBy(q, eq(threads.parentThread, page.of), page)
}

/** The threads that were forked from a thread, newest first. */
export async function readForks(q: Queryable, page: LineagePage): Promise<ThreadRow[]> {
  return readBy(q, eq(threads.sourceThread, page.of), page)
}

function readBy({ orm }: Queryable, condition: SQL, { before, limit }: LineagePage): Promise<ThreadRow[]> {
  return mapped(
    orm
      .select()
      .from(threads)
      .where(and(condition, before === undefined ? undefined : lt(threads.id, before)))
      .orderBy(desc(threads.id))
      .limit(limit),
  )
}

/** The oldest children of each of these threads, `each` at most. */
export async function readChildrenOfAll(
  { orm }: Queryable,
  parents: readonly string[],
  each: number,
): Promise<ThreadRow[]> {
  if (parents.length === 0) return []
  const called = orm
    .select(getTableColumns(threads))
    .from(threads)
    .where(eq(threads.parentThread, sql`above.id`))
    .orderBy(threads.id)
    .limit(each)
    .as('called')
  const rows = await mapped(
    orm
      .select()
      .from(
        sql`unnest(array[${sql.join(
          parents.map((id) => sql`${id}`),
          sql`, `,
        )}]::text[]) as above(id)`,
      )
      .innerJoinLateral(called, sql`true`)
      .orderBy(called.id),
  )
  return rows.map((row) => row.called)
}
