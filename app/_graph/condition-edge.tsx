'use client'

import { BaseEdge, EdgeLabelRenderer, type EdgeProps } from '@xyflow/react'
import { cn } from '@/app/_ui/cn'
import { type ConditionEdge as ConditionEdgeData, pathThrough } from './to-flow'

/** Drawn along the layout's own points, so that loops and self-loops keep the lane that was made for them. */
export function ConditionEdge({ id, data }: EdgeProps<ConditionEdgeData>) {
  if (data === undefined) return null
  const { placed, visits, isNewest } = data
  const taken = visits > 0
  const marker = isNewest ? 'next' : taken ? 'taken' : 'idle'
  return (
    <>
      <BaseEdge
        id={id}
        path={pathThrough(placed.points)}
        markerEnd={`url(#cairn-arrow-${marker})`}
        className={cn(
          taken ? '!stroke-completed' : '!stroke-field-line',
          isNewest && '!stroke-running',
          taken ? '!stroke-[1.75]' : '!stroke-1',
        )}
        style={isNewest && !taken ? { strokeDasharray: '4 3' } : {}}
      />
      {(placed.label !== null || visits > 0) && (
        <EdgeLabelRenderer>
          <div
            data-edge={id}
            data-visits={visits}
            title={placed.description}
            className="pointer-events-auto absolute flex h-5 items-center gap-1 rounded bg-surface/90 px-1 text-[0.6875rem] leading-none whitespace-nowrap text-ink-faint"
            style={{ transform: `translate(-50%, -50%) translate(${placed.labelAt.x}px, ${placed.labelAt.y}px)` }}
          >
            {placed.label}
            {visits > 0 && (
              <span className="rounded-full bg-completed/12 px-1.5 py-0.5 font-medium text-completed tabular-nums">
                {visits}
                <span className="sr-only"> times taken</span>
              </span>
            )}
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  )
}

/** The arrow heads that the edges point to; once in each picture. */
export function ArrowMarkers() {
  return (
    <svg aria-hidden="true" className="absolute size-0">
      <title>Arrow heads</title>
      <defs>
        {[
          ['idle', 'fill-field-line'],
          ['taken', 'fill-completed'],
          ['next', 'fill-running'],
        ].map(([name, fill]) => (
          <marker
            key={name}
            id={`cairn-arrow-${name}`}
            viewBox="0 0 10 10"
            refX="9"
            refY="5"
            markerUnits="userSpaceOnUse"
            markerWidth="9"
            markerHeight="9"
            orient="auto"
          >
            <path d="M 0 1 L 10 5 L 0 9 z" className={fill} />
          </marker>
        ))}
      </defs>
    </svg>
  )
}
