import type { Queryable } from '../../client'
import { mapped } from '../../errors'

export type ChainRow = {
  hash: string
  /** Only of the highest nodes: see `digestsAbove`. */
  digest: Buffer | null
  body: string
  /** Refs of the step's content. */
  content_refs: string[]
  height: number
}

/**
 * Every state node from the first after the start node up to `head`, in no order, without the contents' text: 10,000 steps
 * are 10,000 index reads on each of two tables. Not sorted here: the sort would carry every body through it, to disk for a
 * long thread, and the heights say the order. Digests come only of nodes above `digestsAbove`.
 */
export async function loadChain({ sql }: Queryable, head: string, digestsAbove: number): Promise<ChainRow[]> {
  return mapped(
    sql<ChainRow[]>`
      with recursive chain as (
        select hash, parent from state_nodes where hash = ${head}
        union all
        select s.hash, s.parent from chain c join state_nodes s on s.hash = c.parent
      )
      select s.hash, s.body, s.height, b.refs as content_refs, case when s.height > ${digestsAbove}::int then s.digest end as digest
      from chain join state_nodes s on s.hash = chain.hash join blobs b on b.hash = s.content`,
  )
}
