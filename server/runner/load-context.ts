import type { Queryable } from '@/db/client'
import type { ClaimedRow } from '@/db/queries/threads/claim-threads'
import { loadChain } from '@/db/queries/threads/load-chain'
import type { RoleStep, ThreadContext } from '@/sdk/types'
import type { Node } from '@/server/cas/nodes'
import { parseNode } from '@/server/cas/parse-node'
import { AppError } from '@/server/kernel/errors'
import { END, FORK_MARKER, type Hash, RETRY_MARKER } from '@/server/kernel/ids'
import { Chain } from './chain'

const MARKERS = new Set<string>([END, FORK_MARKER, RETRY_MARKER])

/** What the generator is started with, and the chain that its steps go onto. */
export async function loadContext(
  db: Queryable,
  claimed: ClaimedRow,
): Promise<{ thread: ThreadContext; chain: Chain }> {
  const { start_body, start_digest, prompt_body } = claimed
  if (start_body === null || start_digest === null || prompt_body === null) {
    throw new AppError(
      'CORRUPT_NODE',
      `The start node ${claimed.start} of thread ${claimed.id}, or its prompt, is not stored any more. Run verify on it.`,
      { hash: claimed.start },
    )
  }
  const start = nodeOfType(parseNode(start_body, claimed.start), 'start', claimed.start)
  const prompt = nodeOfType(parseNode(prompt_body), 'content', claimed.start)
  // The row's foreign facts were hashes when they were written; `verify` is what proves them.
  const chain = new Chain({ hash: claimed.start as Hash, digest: Buffer.from(start_digest, 'hex') }, claimed.created_ms)
  const steps: RoleStep[] = []
  if (claimed.height > 0) {
    for (const row of await loadChain(db, claimed.head)) {
      const { payload } = nodeOfType(parseNode(row.body, row.hash), 'state', row.hash)
      chain.push({ hash: row.hash as Hash, digest: row.digest, timestamp: payload.timestamp })
      if (MARKERS.has(payload.role)) continue
      steps.push({
        role: payload.role,
        contentHash: payload.content,
        meta: payload.meta,
        refs: row.content_refs,
        timestamp: payload.timestamp,
        childThread: payload.childThread,
      })
    }
    if (chain.height !== claimed.height || chain.head !== claimed.head) {
      throw new AppError(
        'CORRUPT_NODE',
        `The chain of thread ${claimed.id} has ${chain.height} nodes where its row says ${claimed.height}. Run verify on it.`,
        { hash: claimed.head },
      )
    }
  }
  const thread: ThreadContext = {
    threadId: claimed.id,
    depth: claimed.depth,
    bundleHash: claimed.bundle,
    start: {
      content: prompt.payload,
      input: start.payload.input ?? null,
      timestamp: claimed.created_ms,
      parentState: start.payload.parentState,
    },
    steps,
  }
  return { thread, chain }
}

function nodeOfType<T extends Node['type']>(node: Node, type: T, hash: string): Extract<Node, { type: T }> {
  if (node.type !== type)
    throw new AppError(
      'CORRUPT_NODE',
      `The node ${hash} is of type ${node.type}, not ${type}. Run verify on its thread.`,
      { hash },
    )
  // Narrowed by the check above; the compiler does not carry a generic discriminant.
  return node as Extract<Node, { type: T }>
}
