import { END, FORK_MARKER, RETRY_MARKER } from '@/server/kernel/ids'
import type { Graph } from './graph'
import type { Finding, Inspected } from './inspect'
import { ancestorHeights } from './nodes'

/** Height of each state node, by counting from its start node where the chain is whole, else as its column says. */
export type Heights = Map<string, number>

/**
 * What nodes must be to each other: types of refs, heights, ancestors at their distances, one start node a chain, time that
 * does not run back, ends that are ends. `order` has referred-to before referrers. Pure.
 */
export function checkRelations(graph: Graph, order: readonly string[]): { heights: Heights; findings: Finding[] } {
  const heights: Heights = new Map()
  const findings: Finding[] = []
  for (const hash of order) {
    const node = graph.nodes.get(hash)
    if (node === undefined) continue
    if (node.state !== null) checkState(graph, node, node.state, heights, findings)
    else if (node.place !== null) heights.set(hash, node.place.height)
    if (node.start !== null) checkStart(graph, node, findings)
    if (node.group !== null) checkGroup(graph, node, node.group.returnCodes, findings)
  }
  return { heights, findings }
}

function checkState(
  graph: Graph,
  node: Inspected,
  state: NonNullable<Inspected['state']>,
  heights: Heights,
  findings: Finding[],
): void {
  const say = (problem: Finding['problem'], message: string) =>
    findings.push({ hash: node.hash, type: node.type, problem, message })
  expectType(graph, say, state.start, ['start'], 'its start node')
  expectType(graph, say, state.content, ['content'], 'its content')
  for (const ancestor of state.ancestors) expectType(graph, say, ancestor, ['state'], 'an ancestor')
  if (state.compact !== null) expectType(graph, say, state.compact, ['content'], 'its summary')
  if (state.childThread !== null) {
    expectType(graph, say, state.childThread, ['state', 'group'], 'its child thread')
    const child = graph.nodes.get(state.childThread)?.state
    if (child && child.role !== END) say('chain', `Its child thread ${state.childThread} is not an end node.`)
  }

  const [parentHash] = state.ancestors
  const below = parentHash === undefined ? 0 : heights.get(parentHash)
  const height = below === undefined ? node.place?.height : below + 1
  if (height === undefined) return
  heights.set(node.hash, height)
  if (node.place !== null && node.place.height !== height) {
    say('columns', `Its column height says ${node.place.height}, its chain ${height}.`)
  }
  if (!node.legacy) checkAncestors(graph, state.ancestors, height, say)
  const parent = parentHash === undefined ? undefined : graph.nodes.get(parentHash)?.state
  if (!parent) return
  if (parent.start !== state.start && state.role !== FORK_MARKER) {
    say('chain', `Its start node is ${state.start}, its parent's is ${parent.start}.`)
  }
  if (state.timestamp < parent.timestamp) say('chain', `It is older than its parent ${parentHash}.`)
  if (parent.role === END && state.role !== RETRY_MARKER) say('chain', `It goes on after the end node ${parentHash}.`)
}

/** The i-th ancestor is 2^i steps back, so it is what the one before it, 2^(i-1) back, names at i-1. */
function checkAncestors(
  graph: Graph,
  ancestors: readonly string[],
  height: number,
  say: (problem: 'chain', message: string) => void,
): void {
  const expected = ancestorHeights(height).length
  if (ancestors.length !== expected) {
    say('chain', `It has ${ancestors.length} ancestors, at height ${height} it must have ${expected}.`)
  }
  for (let index = 1; index < ancestors.length; index++) {
    const nearer = graph.nodes.get(ancestors[index - 1] ?? '')
    const named = nearer?.legacy ? undefined : nearer?.state?.ancestors[index - 1]
    if (named !== undefined && named !== ancestors[index]) {
      say('chain', `Its ancestor ${ancestors[index]} is not the node ${2 ** index} steps back, ${named}.`)
    }
  }
}

function checkStart(graph: Graph, node: Inspected, findings: Finding[]): void {
  const say = (problem: Finding['problem'], message: string) =>
    findings.push({ hash: node.hash, type: node.type, problem, message })
  const [prompt, caller] = node.refs
  if (prompt !== undefined) expectType(graph, say, prompt, ['content'], 'its prompt')
  if (caller !== undefined) expectType(graph, say, caller, ['state', 'start'], 'its caller')
}

function checkGroup(graph: Graph, node: Inspected, returnCodes: readonly number[], findings: Finding[]): void {
  node.refs.forEach((ref, index) => {
    const end = graph.nodes.get(ref)
    if (end === undefined || !end.sound) return
    const matches = end.state?.role === END && end.state.returnCode === returnCodes[index]
    if (matches) return
    const message = `Its thread ${index + 1} does not end with ${ref} and return code ${returnCodes[index]}.`
    findings.push({ hash: node.hash, type: node.type, problem: 'chain', message })
  })
}

/** A ref that is missing or not sound is reported as such, not here. */
function expectType(
  graph: Graph,
  say: (problem: 'chain', message: string) => void,
  ref: string,
  types: readonly Inspected['type'][],
  what: string,
): void {
  const target = graph.nodes.get(ref)
  if (target === undefined || !target.sound || types.includes(target.type)) return
  say('chain', `The object ${ref}, ${what}, is a ${target.type} instead of a ${types.join(' or ')}.`)
}
