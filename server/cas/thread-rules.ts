import type { BundleRow, ThreadChainRow } from '@/db/queries/cas/read-stored'
import { END, FORK_MARKER, RETRY_MARKER } from '@/server/kernel/ids'
import { EXIT, isFinished, statusOf, THREAD_STATUSES } from '@/server/threads/status'
import type { Heights } from './chain-rules'
import type { Graph } from './graph'
import { digestOf, hashBytes } from './hash'
import type { Finding } from './inspect'

/** Whether the columns of a thread's row are what its chain says. Pure. */
export function checkThread(thread: ThreadChainRow, graph: Graph, heights: Heights): Finding[] {
  const wrong: string[] = []
  const expect = (column: string, stored: unknown, expected: unknown) => {
    if (stored !== expected) wrong.push(`Its column ${column} says ${stored}, its history ${expected}.`)
  }
  const head = graph.nodes.get(thread.head)
  const start = graph.nodes.get(thread.start)?.start
  if (start) {
    expect('workflow', thread.workflow, start.name)
    expect('bundle', thread.bundle, start.bundle)
    expect('depth', thread.depth, start.depth)
  }
  if (head?.sound) {
    if (head.type !== 'state' && head.type !== 'start') wrong.push(`Its head is a ${head.type}.`)
    if (head.type === 'start') expect('start', thread.start, thread.head)
    if (head.state) expect('start', thread.start, head.state.start)
    expect('height', thread.height, head.type === 'state' ? heights.get(thread.head) : 0)
    const steps = countSteps(graph, thread.head)
    if (steps !== null) expect('steps', thread.steps, steps)
    checkEnd(thread, head.state ?? null, wrong, expect)
  }
  return wrong.map((message) => ({
    hash: thread.head,
    type: 'thread',
    problem: 'columns',
    message: `Thread ${thread.id}: ${message}`,
  }))
}

function checkEnd(
  thread: ThreadChainRow,
  head: { role: string; returnCode: unknown } | null,
  wrong: string[],
  expect: (column: string, stored: unknown, expected: unknown) => void,
): void {
  const status = THREAD_STATUSES.find((known) => known === thread.status)
  if (status === undefined) {
    wrong.push(`Its status ${thread.status} is none.`)
  } else if (head?.role === END) {
    // A workflow's return code may be any number; only an end node's own is one.
    const returnCode = typeof head.returnCode === 'number' ? head.returnCode : Number.NaN
    // A workflow may return 137 itself, which is a failure like any other: nobody killed it.
    if (!(status === 'failed' && returnCode === EXIT.killed)) expect('status', status, statusOf(returnCode))
    expect('return_code', thread.returnCode, returnCode)
  } else if (isFinished(status) && status !== 'dropped') {
    wrong.push(`It is ${status}, but its head is no end node.`)
  } else {
    expect('return_code', thread.returnCode, null)
  }
}

/** Nodes of the chain without markers and end nodes; null when the chain is broken. */
function countSteps(graph: Graph, head: string): number | null {
  let steps = 0
  const seen = new Set<string>()
  for (let hash: string | undefined = head; hash !== undefined; ) {
    const node = graph.nodes.get(hash)
    if (node?.type === 'start') return steps
    if (!node?.state || seen.has(hash)) return null
    seen.add(hash)
    if (![END, FORK_MARKER, RETRY_MARKER].includes(node.state.role)) steps++
    hash = node.state.ancestors[0]
  }
  return steps
}

/** Whether a bundle is what its hash says. Pure. */
export function checkBundle(hash: string, row: BundleRow | null): Finding[] {
  const say = (message: string): Finding[] => [{ hash, type: 'bundle', problem: 'bundle', message }]
  if (row === null) return say('A start node names this bundle, and it is not stored.')
  const actual = hashBytes(row.source)
  if (actual !== hash) return say(`Its stored source has the hash ${actual}: it was changed.`)
  if (!digestOf(row.source, []).equals(row.digest)) return say('Its digest is not that of its source.')
  const bytes = Buffer.byteLength(row.source)
  return row.size === bytes ? [] : say(`Its column size says ${row.size}, its source has ${bytes} bytes.`)
}
