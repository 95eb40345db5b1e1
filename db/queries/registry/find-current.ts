import type { Queryable } from '../../client'
import { mapped } from '../../errors'

/** What `thread.start` needs of a workflow. By hand, because it is on the way of every start: drizzle makes it 4 times as slow. */
export async function findCurrent(
  { sql }: Queryable,
  name: string,
): Promise<{ current: string; state: 'active' | 'removed' } | undefined> {
  const rows = await mapped(
    sql<{ current: string; state: 'active' | 'removed' }[]>`select current, state from workflows where name = ${name}`,
  )
  return rows[0]
}
