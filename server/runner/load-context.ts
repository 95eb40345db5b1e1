import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Queryable } from '@/db/client'
import type { ClaimedRow } from '@/db/queries/threads/claim-threads'
import { type ChainRow, loadChain } from '@/db/queries/threads/load-chain'
import type { RoleStep, ThreadContext } from '@/sdk/types'
import type { Node, StatePayload } from '@/server/cas/nodes'
import { parseNode } from '@/server/cas/parse-node'
import { parseState } from '@/server/cas/parse-state'
import { AppError } from '@/server/kernel/errors'
import { END, FORK_MARKER, type Hash, RETRY_MARKER } from '@/server/kernel/ids'
import { Chain, REACH } from './chain'

const MARKERS = new Set<string>([END, FORK_MARKER, RETRY_MARKER])
/** Nodes read in one turn of the event loop: some 10 ms. */
const READ_AT_ONCE = 1_000

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
  const steps = claimed.height > 0 ? await loadSteps(db, claimed, chain) : []
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

/** Pushes every node onto the chain and gives those that are steps, lowest first. */
async function loadSteps(db: Queryable, claimed: ClaimedRow, chain: Chain): Promise<RoleStep[]> {
  const rows = await loadChain(db, claimed.head, claimed.height - REACH)
  const byHeight: (ChainRow | undefined)[] = new Array(claimed.height)
  for (const row of rows) byHeight[row.height - 1] = row
  const steps: RoleStep[] = []
  let read = 0
  for (const row of byHeight) {
    if (row === undefined || rows.length !== claimed.height) throw gap(claimed, rows.length)
    const payload = parseState(row.body, row.hash)
    chain.push({ hash: row.hash as Hash, digest: row.digest, timestamp: payload.timestamp })
    if (!MARKERS.has(payload.role)) steps.push(stepOf(payload, row.content_refs))
    // A long history is read in turns: other threads of this runner go on meanwhile.
    if (++read % READ_AT_ONCE === 0) await nextTurn()
  }
  if (chain.head !== claimed.head) throw gap(claimed, rows.length)
  return steps
}

function stepOf({ role, content, meta, timestamp, childThread }: StatePayload, refs: string[]): RoleStep {
  return { role, contentHash: content, meta, refs, timestamp, childThread }
}

function gap({ id, head, height }: ClaimedRow, found: number): AppError<'CORRUPT_NODE'> {
  const message = `The chain of thread ${id} has ${found} nodes where its row says ${height}. Run verify on it.`
  return new AppError('CORRUPT_NODE', message, { hash: head })
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
