import type { Queryable } from '@/db/client'
import { readTop, type TopRow } from '@/db/queries/threads/read-top'
import type { JsonObject } from '@/sdk/types'
import { digestOf, initHash } from '@/server/cas/hash'
import { ancestorHeights, contentNode, type Encoded, stateNode } from '@/server/cas/nodes'
import { AppError } from '@/server/kernel/errors'
import { type Hash, isHash } from '@/server/kernel/ids'

export type Link = { hash: Hash; digest: Buffer }

/** The top of a chain, as far as the next node refers to it. */
export type ChainTop = {
  start: Link
  /** Of the head; 0 when that is the start node. */
  height: number
  /** Of the head, in milliseconds; no node is older than its parent. */
  timestamp: number
  /** What the next node names, newest first: the head, and 1, 3, 7, 15 … below it. */
  ancestors: readonly Link[]
}

export type LinkedContent = Link & { body: string; refs: Hash[] }
export type NextNode = Encoded & { digest: Buffer; height: number; timestamp: number; parent: Hash | null }

/**
 * The top of the chain that ends in `head`, in O(log n) reads, and the database's clock (ms). Throws CORRUPT_NODE when a
 * node that the next one must name is not stored.
 */
export async function loadTop(db: Queryable, head: string, start: string): Promise<ChainTop & { now: number }> {
  await initHash()
  const row = await readTop(db, { head, start, above: 0 })
  const ancestors = linksOf(row, { head, start, above: 0 })
  if (!isHash(start) || row.startDigest === null) throw gone(head)
  const link = { hash: start, digest: row.startDigest }
  return { start: link, height: row.height, timestamp: row.timestamp ?? 0, ancestors, now: row.now }
}

/** The same after `next`, which follows `head` and is not stored yet. */
export async function topAfter(
  db: Queryable,
  head: string,
  source: string,
  start: Link,
  next: NextNode,
): Promise<ChainTop> {
  const where = { head, start: source, above: 1 } as const
  const below = linksOf(await readTop(db, where), where)
  const { hash, digest, height, timestamp } = next
  return { start, height, timestamp, ancestors: [{ hash, digest }, ...below] }
}

/** Throws where one of them is missing. */
function linksOf(row: TopRow, { head, start, above }: { head: string; start: string; above: 0 | 1 }): Link[] {
  const links = row.hashes.flatMap((hash, at): Link[] => {
    const digest = row.digests[at]
    return isHash(hash) && digest !== undefined ? [{ hash, digest }] : []
  })
  const expected = ancestorHeights(row.height + 1 + above).length - above
  if (links.length !== expected || (row.height === 0 && head !== start)) throw gone(head)
  return links
}

function gone(head: string): AppError<'CORRUPT_NODE'> {
  const message = `A node of the chain that ends in ${head} is not stored any more. Run verify on its thread.`
  return new AppError('CORRUPT_NODE', message, { hash: head })
}

/** A content node with its digest. `digests` are those of the refs, in their order. */
export function linkedContent(
  text: string,
  refs: readonly Hash[] = [],
  digests: readonly Buffer[] = [],
): LinkedContent {
  const { hash, body, refs: named } = contentNode(text, refs)
  return { hash, body, refs: named, digest: digestOf(body, digests) }
}

/** The node that would follow the top. `now` is the database's clock in ms. Pure. */
export function buildNext(
  top: ChainTop,
  node: { role: string; meta: JsonObject; content: Link; childThread: Link | null; now: number },
): NextNode {
  const timestamp = Math.max(node.now, top.timestamp)
  const encoded = stateNode({
    role: node.role,
    meta: node.meta,
    start: top.start.hash,
    content: node.content.hash,
    ancestors: top.ancestors.map((link) => link.hash),
    compact: null,
    timestamp,
    childThread: node.childThread?.hash ?? null,
  })
  // In the order of `refsOf` for a state node.
  const digests = [top.start.digest, node.content.digest, ...top.ancestors.map((link) => link.digest)]
  if (node.childThread !== null) digests.push(node.childThread.digest)
  return {
    ...encoded,
    digest: digestOf(encoded.body, digests),
    height: top.height + 1,
    timestamp,
    parent: top.ancestors[0]?.hash ?? null,
  }
}
