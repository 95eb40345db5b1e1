import type { Queryable } from '../../client'
import { mapped } from '../../errors'

export type ChainRow = {
  hash: string
  digest: Buffer
  body: string
  /** Refs of the step's content. */
  content_refs: string[]
  height: number
}

/**
 * Every state node from the first after the start node up to `head`, oldest first, without the contents' text: 10,000 steps
 * are 10,000 index reads on each of two tables.
 */
export async function loadChain({ sql }: Queryable, head: string): Promise<ChainRow[]> {
  return mapped(
    sql<ChainRow[]>`
      with recursive chain as (
        select hash, digest, body, content, parent, height from state_nodes where hash = ${head}
        union all
        select s.hash, s.digest, s.body, s.content, s.parent, s.height from chain c join state_nodes s on s.hash = c.parent
      )
      select chain.hash, chain.digest, chain.body, b.refs as content_refs, chain.height
      from chain join blobs b on b.hash = chain.content order by chain.height`,
  )
}
