import type { Queryable } from '../../client'
import { mapped } from '../../errors'

/** The threads that called this one, from the nearest up. */
export async function findParents({ sql }: Queryable, thread: string): Promise<string[]> {
  const rows = await mapped(sql<{ id: string }[]>`
    with recursive up as (
      select parent_thread as id, 1 as n from threads where id = ${thread} and parent_thread is not null
      union all
      select t.parent_thread, up.n + 1 from up join threads t on t.id = up.id where t.parent_thread is not null
    ) select id from up order by n`)
  return rows.map((row) => row.id)
}
