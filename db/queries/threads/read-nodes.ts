import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'

export type NodeRow = {
  hash: string
  role: string
  height: number
  contentHash: string
  refs: string[]
  childThread: string | null
  /** Milliseconds since the epoch. */
  timestamp: number
  /** Canonical text of the state node. */
  body: string
  /** First characters of the content node's canonical text; null when it is gone, or no text. */
  contentStart: string | null
  /** `contentStart` is all of it. */
  contentIsWhole: boolean
  /** Refs of the content node. */
  contentRefs: string[] | null
}

export type NodeRange = {
  head: string
  headHeight: number
  /** Nodes above this height, `limit` at most; the node at it comes first, when there is one. */
  after: number
  limit: number
  /** Characters of content text to bring. */
  contentLimit: number
}

/**
 * A stretch of the chain below `head`, lowest first. There is no table of a thread's steps: from the head it jumps down by
 * the longest ancestor pointer that does not overshoot (`refs[3 + i]`, counted from 1, is 2^i steps back: after the start
 * node and the content), at most about 10 + n/1024 reads, and then walks the stretch by `parent`.
 */
export async function readNodes(q: Queryable, range: NodeRange): Promise<NodeRow[]> {
  return mapped(nodesStatement(q, range))
}

/** The statement itself, so that a test can ask for its plan. */
export function nodesStatement({ sql }: Queryable, { head, headHeight, after, limit, contentLimit }: NodeRange) {
  const top = Math.min(headHeight, after + limit)
  return sql<NodeRow[]>`
    with recursive jump as (
      select hash, height, refs from state_nodes where hash = ${head}
      union all
      select n.hash, n.height, n.refs
      from jump j join state_nodes n
        on n.hash = j.refs[3 + least(10, length(ltrim((j.height - ${top}::int)::bit(32)::text, '0')) - 1)]
      where j.height > ${top}::int
    ), stretch as (
      select n.hash, n.parent, n.height
      from jump j join state_nodes n on n.hash = j.hash
      where j.height = ${top}::int
      union all
      select n.hash, n.parent, n.height
      from stretch s join state_nodes n on n.hash = s.parent
      where s.height > ${after}::int
    )
    select n.hash, n.role, n.height, n.content as "contentHash", n.refs, n.child_thread as "childThread", n.timestamp, n.body,
      left(c.body, ${contentLimit}::int) as "contentStart", coalesce(length(c.body) <= ${contentLimit}::int, false) as "contentIsWhole", c.refs as "contentRefs"
    from stretch s join state_nodes n on n.hash = s.hash left join blobs c on c.hash = n.content
    order by n.height`
}
