import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'

export type TopRow = {
  /** Null when the start node is gone. */
  startDigest: Buffer | null
  /** Null when the head is the start node; milliseconds since the epoch. */
  timestamp: number | null
  height: number
  /** The head, then the nodes 1, 3, 7, 15 … below it: what the next node names as its ancestors. */
  hashes: string[]
  digests: Buffer[]
  /** The database's clock. */
  now: number
}

/**
 * What a node above `head` will refer to: the next one (`above` 0), or the one after that (1). Its i-th ancestor is what the one
 * before it names at i - 1 (`refs[3 + i]`, counted from 1: after the start node and the content), so it costs 11 reads at most,
 * however long the chain is.
 */
export async function readTop(
  { sql }: Queryable,
  { head, start, above }: { head: string; start: string; above: 0 | 1 },
): Promise<TopRow> {
  const rows = await mapped(sql<TopRow[]>`
    with recursive links as (
      select hash, digest, refs, height, timestamp, ${above}::int as i from state_nodes where hash = ${head}
      union all
      select n.hash, n.digest, n.refs, n.height, n.timestamp, l.i + 1
      from links l join state_nodes n on n.hash = l.refs[3 + l.i]
      where l.i < 10 and l.height > (1 << l.i)
    )
    select (select digest from start_nodes where hash = ${start}) as "startDigest",
      (select timestamp from links where hash = ${head}) as "timestamp", coalesce((select height from links where hash = ${head}), 0) as height,
      coalesce((select array_agg(hash order by i) from links), '{}') as hashes,
      coalesce((select array_agg(digest order by i) from links), '{}') as digests, app_now_ms() as now`)
  const [row] = rows
  if (row === undefined) throw new Error('a select without a from has one row')
  return row
}
