import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'

export type FoundNode = { hash: string; height: number; role: string }

/** The node at a height of 1 or more below `head`, by the longest jumps that do not overshoot: O(log n) reads. */
export async function nodeAtHeight(
  { sql }: Queryable,
  { head, height }: { head: string; height: number },
): Promise<FoundNode | null> {
  const rows = await mapped(sql<FoundNode[]>`
    with recursive jump as (
      select hash, height, role, refs from state_nodes where hash = ${head}
      union all
      select n.hash, n.height, n.role, n.refs
      from jump j join state_nodes n
        on n.hash = j.refs[3 + least(10, length(ltrim((j.height - ${height}::int)::bit(32)::text, '0')) - 1)]
      where j.height > ${height}::int
    )
    select hash, height, role from jump where height = ${height}::int`)
  return rows[0] ?? null
}

/** The step of a number, counted down from `steps` at the head, node by node: for chains where markers shift the numbers. */
export async function findNumberedStep(
  { sql }: Queryable,
  find: { head: string; steps: number; step: number; notSteps: readonly string[] },
): Promise<FoundNode | null> {
  const notSteps = find.notSteps as string[]
  const rows = await mapped(sql<FoundNode[]>`
    with recursive chain as (
      select hash, parent, height, role, ${find.steps}::int as n from state_nodes where hash = ${find.head}
      union all
      select s.hash, s.parent, s.height, s.role, c.n - (c.role <> all(${notSteps}))::int
      from chain c join state_nodes s on s.hash = c.parent
      where c.n - (c.role <> all(${notSteps}))::int >= ${find.step}::int
    )
    select hash, height, role from chain where n = ${find.step}::int and role <> all(${notSteps})`)
  return rows[0] ?? null
}

/** The nth node of a role, from the beginning on, or its last. Walks the chain node by node, at the last one no further than to it. */
export async function findRoleRun(
  { sql }: Queryable,
  { head, role, run }: { head: string; role: string; run: number | null },
): Promise<FoundNode | null> {
  const rows = await mapped(sql<FoundNode[]>`
    with recursive chain as (
      select hash, parent, height, role from state_nodes where hash = ${head}
      union all
      select s.hash, s.parent, s.height, s.role from chain c join state_nodes s on s.hash = c.parent
      where ${run}::int is not null or c.role <> ${role}
    )
    select hash, height, role from chain where role = ${role}
    order by case when ${run}::int is null then -height else height end offset coalesce(${run}::int - 1, 0) limit 1`)
  return rows[0] ?? null
}

/** A state node by its hash, wherever it is. */
export async function findStateNode({ sql }: Queryable, hash: string): Promise<FoundNode | null> {
  const rows = await mapped(sql<FoundNode[]>`select hash, height, role from state_nodes where hash = ${hash}`)
  return rows[0] ?? null
}
