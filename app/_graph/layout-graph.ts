import { Graph, layout } from '@dagrejs/dagre'
import { END, START } from '@/sdk/types'
import type { Descriptor } from '@/server/registry/views'
import { edgeId } from './edge-id'

export type Point = { x: number; y: number }
export type PlacedNode = { id: string; label: string; description: string; kind: 'start' | 'role' | 'end' } & Box
export type Box = { x: number; y: number; width: number; height: number }
export type PlacedEdge = {
  id: string
  from: string
  to: string
  /** What stands on the edge: the names of its conditions; null where the source has no other way to go. */
  label: string | null
  /** One sentence a condition, for the tooltip and screen readers. */
  description: string
  points: Point[]
  /** Middle of the place that the layout kept free for the label. */
  labelAt: Point
}
/** Places are in pixels; `x` and `y` of a node are its upper left corner. */
export type GraphLayout = { nodes: PlacedNode[]; edges: PlacedEdge[]; width: number; height: number }

const ROLE_HEIGHT = 40
const LABEL_HEIGHT = 20
const MAX_LABEL = 26

/** Places roles from top to bottom. Conditions between the same two roles become one edge; loops keep a lane of their own. */
export function layoutGraph(descriptor: Descriptor): GraphLayout {
  const graph = new Graph({ directed: true, multigraph: false })
  graph.setGraph({ rankdir: 'TB', nodesep: 36, ranksep: 34, edgesep: 18, marginx: 8, marginy: 8 })
  const names = roleNames(descriptor)
  // Dagre keeps nodes in plain objects, where a role named `constructor` would break it: it gets numbers instead.
  const keys = new Map(names.map((name, index) => [name, String(index)]))
  const keyOf = (name: string) => keys.get(name) ?? ''
  for (const name of names) graph.setNode(keyOf(name), sizeOf(name))
  const edges = mergedEdges(descriptor)
  for (const edge of edges) {
    const width = edge.label === null ? 30 : edge.label.length * 6.4 + 40
    graph.setEdge(keyOf(edge.from), keyOf(edge.to), { width, height: LABEL_HEIGHT, labelpos: 'c' })
  }
  layout(graph)

  const nodes = names.map((name) => placedNode(descriptor, name, graph.node(keyOf(name))))
  const placed = edges.map((edge) => {
    const found = graph.edge(keyOf(edge.from), keyOf(edge.to))
    if (edge.from === edge.to) return { ...edge, ...selfLoop(graph.node(keyOf(edge.from)), found.width ?? 0) }
    const points = (found.points ?? []).map(({ x, y }: Point) => ({ x, y }))
    return { ...edge, points, labelAt: { x: found.x ?? 0, y: found.y ?? 0 } }
  })
  const size = graph.graph()
  return { nodes, edges: placed, width: size.width ?? 0, height: size.height ?? 0 }
}

function roleNames(descriptor: Descriptor): string[] {
  const mentioned = descriptor.graph.edges.flatMap((edge) => [edge.from, edge.to])
  const roles = Object.keys(descriptor.roles)
  return [...new Set([START, ...roles, ...mentioned.filter((name) => name !== END), END])]
}

function sizeOf(name: string): { width: number; height: number } {
  if (name === START || name === END) return { width: 72, height: 28 }
  return { width: Math.min(260, Math.max(116, name.length * 8 + 98)), height: ROLE_HEIGHT }
}

function placedNode(descriptor: Descriptor, name: string, center: Box): PlacedNode {
  const kind = name === START ? 'start' : name === END ? 'end' : 'role'
  const role = Object.hasOwn(descriptor.roles, name) ? descriptor.roles[name] : undefined
  return {
    id: name,
    kind,
    label: kind === 'role' ? name : kind,
    description: role?.description ?? '',
    width: center.width,
    height: center.height,
    x: center.x - center.width / 2,
    y: center.y - center.height / 2,
  }
}

/** How far a self-loop reaches out of its node. */
const LOOP = 34

/** Dagre keeps the room right of the node free, but its own points for a wide label miss the node. */
function selfLoop(node: Box, labelWidth: number): { points: Point[]; labelAt: Point } {
  const right = node.x + node.width / 2
  const points = [
    { x: right, y: node.y - 8 },
    { x: right + LOOP, y: node.y - 26 },
    { x: right + LOOP, y: node.y + 26 },
    { x: right + 1, y: node.y + 8 },
  ]
  return { points, labelAt: { x: right + LOOP - 8 + labelWidth / 2, y: node.y } }
}

type MergedEdge = Omit<PlacedEdge, 'points' | 'labelAt'>

function mergedEdges(descriptor: Descriptor): MergedEdge[] {
  const groups = new Map<string, Descriptor['graph']['edges']>()
  const waysOut = new Map<string, number>()
  for (const edge of descriptor.graph.edges) {
    const id = edgeId(edge.from, edge.to)
    const group = groups.get(id)
    if (group === undefined) {
      groups.set(id, [edge])
      waysOut.set(edge.from, (waysOut.get(edge.from) ?? 0) + 1)
    } else group.push(edge)
  }
  return [...groups].flatMap(([id, edges]) => {
    const first = edges[0]
    if (first === undefined) return []
    const isOnlyWay = waysOut.get(first.from) === 1
    const names = edges.map((edge) => (edge.condition === 'FALLBACK' ? 'else' : edge.condition))
    const text = names.join(' or ')
    const label = isOnlyWay && text === 'else' ? null : text
    return [
      {
        id,
        from: first.from,
        to: first.to,
        label: label !== null && label.length > MAX_LABEL ? `${label.slice(0, MAX_LABEL - 1)}…` : label,
        description: edges.map(sentenceOf).join('\n'),
      },
    ]
  })
}

function sentenceOf(edge: Descriptor['graph']['edges'][number]): string {
  if (edge.condition === 'FALLBACK') return edge.conditionDescription ?? 'When no other condition holds.'
  return edge.conditionDescription === null ? edge.condition : `${edge.condition}: ${edge.conditionDescription}`
}
