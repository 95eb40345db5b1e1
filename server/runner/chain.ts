import type { JsonObject } from '@/sdk/types'
import { ancestorHeights } from '@/server/cas/nodes'
import type { Hash } from '@/server/kernel/ids'
import { buildNext, type Link, type NextNode } from '@/server/threads/chain-top'

export type { NextNode }

/** Ancestors reach 1,024 steps back, so no node further down is ever named again. */
export const REACH = 1024

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

  /**
   * Moves the head to a node that exists in the database. Nodes come in order of their height, without gaps; one that
   * `REACH` others will follow needs no digest.
   */
  push(node: { hash: Hash; digest: Buffer | null; timestamp: number }): void {
    this.currentHeight += 1
    this.currentHead = node.hash
    this.lastTimestamp = node.timestamp
    this.links[this.currentHeight % REACH] = node.digest === null ? undefined : { hash: node.hash, digest: node.digest }
  }

  /** Builds the node that would follow the head. `now` is the database's clock; no node is older than its parent. */
  next(node: { role: string; meta: JsonObject; content: Link; childThread: Link | null; now: number }): NextNode {
    const ancestors = ancestorHeights(this.currentHeight + 1).map((at) => this.at(at))
    return buildNext({ start: this.start, height: this.currentHeight, timestamp: this.lastTimestamp, ancestors }, node)
  }

  private at(height: number): Link {
    const link = this.links[height % REACH]
    if (link === undefined) throw new Error(`The chain has no node at height ${height}.`)
    return link
  }
}
