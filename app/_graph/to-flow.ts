import type { Edge, Node } from '@xyflow/react'
import type { GraphLayout, PlacedEdge, PlacedNode } from './layout-graph'
import { type NodeState, nodeStates, type Progress } from './progress'

export type RoleNode = Node<{ placed: PlacedNode; state: NodeState; visits: number }, 'role'>
export type ConditionEdge = Edge<{ placed: PlacedEdge; visits: number; isNewest: boolean }, 'condition'>

/** The layout with a thread's progress on it; without progress, the plain picture. `chosen` is the role that was pointed out. */
export function toFlow(
  graph: GraphLayout,
  progress: Progress | null,
  chosen: string | null = null,
): { nodes: RoleNode[]; edges: ConditionEdge[] } {
  const names = graph.nodes.map((node) => node.id)
  const states = progress === null ? null : nodeStates(names, graph.edges, progress)
  const nodes = graph.nodes.map<RoleNode>((placed) => ({
    id: placed.id,
    type: 'role',
    position: { x: placed.x, y: placed.y },
    width: placed.width,
    height: placed.height,
    selected: placed.id === chosen,
    data: { placed, state: states?.get(placed.id) ?? 'idle', visits: progress?.nodes.get(placed.id) ?? 0 },
  }))
  const edges = graph.edges.map<ConditionEdge>((placed) => ({
    id: placed.id,
    type: 'condition',
    source: placed.from,
    target: placed.to,
    data: {
      placed,
      visits: progress?.edges.get(placed.id) ?? 0,
      isNewest: progress !== null && progress.at === placed.from && isLively(states?.get(placed.to)),
    },
  }))
  return { nodes, edges }
}

function isLively(state: NodeState | undefined): boolean {
  return state === 'active' || state === 'possible'
}

/** A smooth SVG path through the points of a laid-out edge. */
export function pathThrough(points: readonly { x: number; y: number }[]): string {
  const [first, ...rest] = points
  const last = points.at(-1)
  if (first === undefined || last === undefined || rest.length === 0) return ''
  let path = `M ${first.x} ${first.y}`
  for (let index = 0; index < rest.length - 1; index++) {
    const control = rest[index]
    const after = rest[index + 1]
    if (control === undefined || after === undefined) break
    const isLast = index === rest.length - 2
    const end = isLast ? last : { x: (control.x + after.x) / 2, y: (control.y + after.y) / 2 }
    path += ` Q ${control.x} ${control.y} ${end.x} ${end.y}`
  }
  return rest.length === 1 ? `${path} L ${last.x} ${last.y}` : path
}
