import { END, START } from '@/sdk/types'
import { EXIT, type FinishedStatus, isFinished, type ThreadStatus } from '@/server/threads/status'
import { edgeId } from './edge-id'

/** How far a thread has come in its graph. */
export type Progress = {
  /** Times each role was done. */
  nodes: Map<string, number>
  /** Times each edge was taken, by `edgeId`. */
  edges: Map<string, number>
  /** The role of the last step, or `__start__`. */
  at: string
  status: ThreadStatus
}

export function progressOf(roles: readonly string[], status: ThreadStatus, returnCode: number | null): Progress {
  const nodes = new Map<string, number>([[START, 1]])
  const edges = new Map<string, number>()
  let at = START
  for (const role of roles) {
    count(nodes, role)
    count(edges, edgeId(at, role))
    at = role
  }
  // Only a workflow that returned by itself took an edge to the end; any other ending fell out of a role.
  if (isFinished(status)) {
    count(nodes, END)
    if (returnCode === EXIT.success) count(edges, edgeId(at, END))
  }
  return { nodes, edges, at, status }
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

export type NodeState = 'idle' | 'done' | 'active' | 'possible' | FinishedStatus

/**
 * The role at work is not told by anything stored, so it is known only where one way leads on from the last step; of
 * several, each is `possible`.
 */
export function nodeStates(
  names: readonly string[],
  ways: readonly { from: string; to: string }[],
  progress: Progress,
) {
  const next = new Set(ways.filter((way) => way.from === progress.at && way.to !== END).map((way) => way.to))
  const isRunning = progress.status === 'running'
  const states = new Map<string, NodeState>()
  for (const name of names) {
    if (isRunning && next.has(name)) states.set(name, next.size === 1 ? 'active' : 'possible')
    else if (name === END && isFinished(progress.status)) states.set(name, progress.status)
    else states.set(name, progress.nodes.has(name) ? 'done' : 'idle')
  }
  // A thread that did not end well and has one way on failed in that role.
  const [only] = next
  if (isFinished(progress.status) && progress.status !== 'completed' && next.size === 1 && only !== undefined) {
    states.set(only, progress.status)
  }
  return states
}
