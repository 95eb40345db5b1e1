import type { JsonObject } from '@/sdk/types'
import { digestOf } from '@/server/cas/hash'
import { ancestorHeights, type Encoded, stateNode } from '@/server/cas/nodes'
import type { Hash } from '@/server/kernel/ids'

/** Ancestors reach 1,024 steps back, so no node further down is ever named again. */
const REACH = 1024

type Link = { hash: Hash; digest: Buffer }
export type NextNode = Encoded & { digest: Buffer; height: number; timestamp: number; parent: Hash | null }

/** The top of a thread's chain, as far down as the next node can refer to it. */
export class Chain {
  private readonly links: (Link | undefined)[] = new Array(REACH)
  private currentHeight = 0
  private currentHead: Hash
  private lastTimestamp: number

  constructor(
    readonly start: Link,
    startedAt: number,
  ) {
    this.currentHead = start.hash
    this.lastTimestamp = startedAt
  }

  get head(): Hash {
    return this.currentHead
  }
  get height(): number {
    return this.currentHeight
  }

  /** Moves the head to a node that exists in the database. Nodes come in order of their height, without gaps. */
  push(node: Link & { timestamp: number }): void {
    this.currentHeight += 1
    this.currentHead = node.hash
    this.lastTimestamp = node.timestamp
    this.links[this.currentHeight % REACH] = { hash: node.hash, digest: node.digest }
  }

  /** Builds the node that would follow the head. `now` is the database's clock; no node is older than its parent. */
  next(node: { role: string; meta: JsonObject; content: Link; childThread: Link | null; now: number }): NextNode {
    const height = this.currentHeight + 1
    const ancestors = ancestorHeights(height).map((at) => this.at(at))
    const timestamp = Math.max(node.now, this.lastTimestamp)
    const encoded = stateNode({
      role: node.role,
      meta: node.meta,
      start: this.start.hash,
      content: node.content.hash,
      ancestors: ancestors.map((link) => link.hash),
      compact: null,
      timestamp,
      childThread: node.childThread?.hash ?? null,
    })
    // In the order of `refsOf` for a state node.
    const digests = [this.start.digest, node.content.digest, ...ancestors.map((link) => link.digest)]
    if (node.childThread !== null) digests.push(node.childThread.digest)
    return {
      ...encoded,
      digest: digestOf(encoded.body, digests),
      height,
      timestamp,
      parent: ancestors[0]?.hash ?? null,
    }
  }

  private at(height: number): Link {
    const link = this.links[height % REACH]
    if (link === undefined) throw new Error(`The chain has no node at height ${height}.`)
    return link
  }
}
