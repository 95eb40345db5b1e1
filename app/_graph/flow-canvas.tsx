'use client'

import '@xyflow/react/dist/base.css'
import { Controls, getViewportForBounds, type NodeMouseHandler, ReactFlow, useReactFlow, useStore } from '@xyflow/react'
import { useEffect, useMemo } from 'react'
import type { Descriptor } from '@/server/registry/views'
import { ArrowMarkers, ConditionEdge } from './condition-edge'
import { layoutGraph } from './layout-graph'
import type { Progress } from './progress'
import { RoleNode } from './role-node'
import { toFlow } from './to-flow'

const nodeTypes = { role: RoleNode }
const edgeTypes = { condition: ConditionEdge }

export type FlowCanvasProps = {
  descriptor: Descriptor
  progress: Progress | null
  /** A role to point out. */
  chosen?: string | null
  /** Called with a role's name when its node is clicked, or Enter is pressed on it. */
  onRole?: (role: string) => void
}

export default function FlowCanvas({ descriptor, progress, chosen = null, onRole }: FlowCanvasProps) {
  const graph = useMemo(() => layoutGraph(descriptor), [descriptor])
  const { nodes, edges } = useMemo(() => toFlow(graph, progress, chosen), [graph, progress, chosen])
  const choose: NodeMouseHandler<(typeof nodes)[number]> = (_event, node) => onRole?.(node.id)
  return (
    <ReactFlow
      nodes={nodes}
      edges={edges}
      nodeTypes={nodeTypes}
      edgeTypes={edgeTypes}
      onNodeClick={choose}
      nodesDraggable={false}
      nodesConnectable={false}
      nodesFocusable={onRole !== undefined}
      edgesFocusable={false}
      elementsSelectable={onRole !== undefined}
      zoomOnScroll={false}
      zoomOnDoubleClick={false}
      preventScrolling={false}
      minZoom={0.3}
      maxZoom={1.5}
      fitViewOptions={{ padding: 0.06, maxZoom: 1 }}
      proOptions={{ hideAttribution: true }}
      ariaLabelConfig={{ 'node.a11yDescription.default': 'Press Enter to go to the newest record of this role.' }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.target instanceof HTMLElement)) return
        const role = event.target.dataset.id
        if (role !== undefined) onRole?.(role)
      }}
    >
      <FitGraph width={graph.width} height={graph.height} />
      <ArrowMarkers />
      <Controls showInteractive={false} position="bottom-right" />
    </ReactFlow>
  )
}

/** Shows the whole picture, labels too (the library's own fit knows only nodes), at first and when the room changes. */
function FitGraph({ width, height }: { width: number; height: number }) {
  const { setViewport } = useReactFlow()
  const room = { width: useStore((state) => state.width), height: useStore((state) => state.height) }
  useEffect(() => {
    if (room.width === 0 || room.height === 0) return
    const bounds = { x: 0, y: 0, width, height }
    void setViewport(getViewportForBounds(bounds, room.width, room.height, 0.3, 1, 0.04))
  }, [setViewport, width, height, room.width, room.height])
  return null
}
