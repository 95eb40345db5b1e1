'use client'

import '@xyflow/react/dist/base.css'
import { Controls, type NodeMouseHandler, ReactFlow } from '@xyflow/react'
import { useMemo } from 'react'
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
      fitView
      fitViewOptions={{ padding: 0.06, maxZoom: 1 }}
      proOptions={{ hideAttribution: true }}
      ariaLabelConfig={{ 'node.a11yDescription.default': 'Press Enter to go to the newest record of this role.' }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.target instanceof HTMLElement)) return
        const role = event.target.dataset.id
        if (role !== undefined) onRole?.(role)
      }}
    >
      <ArrowMarkers />
      <Controls showInteractive={false} position="bottom-right" />
    </ReactFlow>
  )
}
