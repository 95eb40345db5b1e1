import type { Database } from '@/db/client'

/**
 * The numbers that the steps of a thread carry in their meta as `n`, in the order of the chain, and when each was recorded
 * (ms). Only for workflows whose steps do.
 */
export async function numberedSteps(db: Database, thread: string): Promise<{ n: number; at: number }[]> {
  const rows = await db.sql<{ body: string; timestamp: number; height: number }[]>`
    with recursive chain as (
      select s.hash, s.parent, s.height from threads t join state_nodes s on s.hash = t.head where t.id = ${thread}
      union all
      select s.hash, s.parent, s.height from chain c join state_nodes s on s.hash = c.parent
    )
    select s.body, s.timestamp, s.height from chain join state_nodes s on s.hash = chain.hash where s.role = 'work' order by s.height`
  return rows.map(({ body, timestamp }) => ({ n: Number(JSON.parse(body).payload.meta.n), at: timestamp }))
}

/** Waits until `count` threads of a workflow have at least `steps` steps; rejects after `seconds`. */
export async function untilSteps(
  db: Database,
  wanted: { workflow: string; steps: number; count: number },
  seconds = 120,
): Promise<void> {
  for (const until = Date.now() + seconds * 1000; ; ) {
    const [row] = await db.sql<{ there: number }[]>`
      select count(*)::int as there from threads where workflow = ${wanted.workflow} and steps >= ${wanted.steps}`
    if (row !== undefined && row.there >= wanted.count) return
    if (Date.now() > until) throw new Error(`Only ${row?.there} threads had ${wanted.steps} steps after ${seconds} s.`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
