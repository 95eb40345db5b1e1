import type { Queryable } from '@/db/client'
import { nodeAtHeight } from '@/db/queries/threads/find-step'
import { type NodeRow, readNodes } from '@/db/queries/threads/read-nodes'
import { readThread, type ThreadRow } from '@/db/queries/threads/read-thread'
import { canonicalJson } from '@/server/cas/canonical'
import { contentStart } from './content-start'
import { threadNotFound } from './not-found'
import { MAX_RECORD_CONTENT } from './records'
import { isStep, placeOfStep, stepsUpTo } from './step-numbers'
import { stateMeta } from './stored-nodes'
import { summaryOf } from './summary-view'
import type { CompareRow, CompareStep, Comparison } from './views'

export type CompareInput = {
  a: string
  b: string
  /** Rows after this step; without it, from where the two part. */
  after?: number | undefined
  limit: number
}

/**
 * Where two threads part, in O(log² n) reads, and their steps from there on, side by side by number. Steps of histories that share
 * nothing are compared all the same. Throws NOT_FOUND.
 */
export async function compareThreads(db: Queryable, { a, b, after, limit }: CompareInput): Promise<Comparison> {
  const [left, right] = await Promise.all([demand(db, a), demand(db, b)])
  const shared = await partingOf(db, left, right)
  const from = Math.max(after ?? 0, shared.steps)
  const [leftSteps, rightSteps] = await Promise.all([
    stepsAfter(db, left, from, limit),
    stepsAfter(db, right, from, limit),
  ])
  const length = Math.max(leftSteps.length, rightSteps.length)
  const rows = Array.from({ length }, (_, at) => rowOf(from + at + 1, leftSteps[at] ?? null, rightSteps[at] ?? null))
  const most = Math.max(left.steps, right.steps)
  return {
    shared,
    identical: shared.steps === left.steps && shared.steps === right.steps,
    sides: { a: summaryOf(left), b: summaryOf(right) },
    rows,
    next: rows.length > 0 && from + rows.length < most ? from + rows.length : null,
  }
}

async function demand(db: Queryable, id: string): Promise<ThreadRow> {
  const thread = await readThread(db, id)
  if (thread === null) throw threadNotFound(id)
  return thread
}

/** Up to which height both have the same nodes: what is below a node that both have, both have too, so it is found by halves. */
async function partingOf(db: Queryable, left: ThreadRow, right: ThreadRow): Promise<Comparison['shared']> {
  let same = 0
  let hash: string | null = null
  let other = Math.min(left.height, right.height) + 1
  while (other - same > 1) {
    const height = Math.floor((same + other) / 2)
    const [a, b] = await Promise.all([
      nodeAtHeight(db, { head: left.head, height }),
      nodeAtHeight(db, { head: right.head, height }),
    ])
    if (a !== null && a.hash === b?.hash) {
      same = height
      hash = a.hash
    } else {
      other = height
    }
  }
  return { steps: same === 0 ? 0 : await stepsUpTo(db, left, same), height: same, hash }
}

async function stepsAfter(db: Queryable, thread: ThreadRow, step: number, limit: number): Promise<NodeRow[]> {
  const place = await placeOfStep(db, thread, step)
  const steps: NodeRow[] = []
  const range = { head: thread.head, headHeight: thread.height, limit, contentLimit: MAX_RECORD_CONTENT }
  for (let after = place?.height ?? thread.height; after < thread.height && steps.length < limit; after += limit) {
    const nodes = await readNodes(db, { ...range, after })
    steps.push(...nodes.filter((node) => node.height > after && isStep(node.role)))
  }
  return steps.slice(0, limit)
}

function rowOf(step: number, a: NodeRow | null, b: NodeRow | null): CompareRow {
  const sides = { step, a: a === null ? null : stepView(a), b: b === null ? null : stepView(b) }
  if (sides.a === null || sides.b === null) return { ...sides, differs: ['missing'] }
  const differs: CompareRow['differs'] = []
  if (sides.a.role !== sides.b.role) differs.push('role')
  if (canonicalJson(sides.a.meta) !== canonicalJson(sides.b.meta)) differs.push('meta')
  if (sides.a.contentHash !== sides.b.contentHash) differs.push('content')
  return { ...sides, differs }
}

function stepView(node: NodeRow): CompareStep {
  const content = contentStart(node.contentStart, node.contentIsWhole)
  return {
    hash: node.hash,
    role: node.role,
    contentHash: node.contentHash,
    content: content.text,
    contentTruncated: content.truncated,
    meta: stateMeta(node.body, node.hash),
    childThread: node.childThread,
  }
}
