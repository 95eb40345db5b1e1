import type { Queryable } from '../../client'
import { mapped } from '../../errors'

type CurrentRow = {
  current: string
  state: 'active' | 'removed'
  /** In the shape of `WorkflowLimits`, unchecked. */
  limits: unknown
  /** Names of commands that the bundle asks for, unchecked. */
  commands: unknown
}

/** What `thread.start` needs of a workflow. By hand, because it is on the way of every start: drizzle makes it 4 times as slow. */
export async function findCurrent(
  { sql }: Queryable,
  name: string,
  bundle: string | null,
): Promise<CurrentRow | undefined> {
  const rows = await mapped(
    sql<CurrentRow[]>`
      select w.current, w.state, w.limits, b.descriptor->'permissions'->'exec' as commands
      from workflows w left join bundles b on b.hash = coalesce(${bundle}, w.current) where w.name = ${name}`,
  )
  return rows[0]
}
