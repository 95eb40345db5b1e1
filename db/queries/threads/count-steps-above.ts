import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'

/**
 * Steps (no markers, no ends) of the chain of `head` that lie above `height`. Walks the chain node by node: only for
 * threads that have markers, where heights and step numbers differ.
 */
export async function countStepsAbove(
  { sql }: Queryable,
  range: { head: string; height: number; notSteps: readonly string[] },
): Promise<number> {
  const rows = await mapped(sql<{ count: number }[]>`
    with recursive chain as (
      select parent, role, height from state_nodes where hash = ${range.head} and height > ${range.height}
      union all
      select n.parent, n.role, n.height from chain c join state_nodes n on n.hash = c.parent where n.height > ${range.height}
    )
    select count(*)::int as count from chain where role <> all(${range.notSteps as string[]})`)
  return rows[0]?.count ?? 0
}
