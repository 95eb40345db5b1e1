import type { StepRow } from '@/db/queries/threads/append-steps'
import type { Chain, NextNode } from './chain'
import type { Lease } from './lease'

/** What a node says that its row repeats in columns, and whether it ends the thread. */
export type StepFacts = Pick<StepRow, 'role' | 'content' | 'childThread' | 'counted' | 'end'>

/** The row that moves the head of a chain to its next node. */
export function stepRow(lease: Lease, chain: Chain, node: NextNode, facts: StepFacts): StepRow {
  return {
    ...facts,
    thread: lease.thread,
    token: lease.token,
    expected: chain.head,
    hash: node.hash,
    body: node.body,
    refs: node.refs,
    digest: node.digest.toString('hex'),
    start: chain.start.hash,
    parent: node.parent,
    height: node.height,
    timestamp: node.timestamp,
  }
}
