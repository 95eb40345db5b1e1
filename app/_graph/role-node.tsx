'use client'

import { Handle, type NodeProps, Position } from '@xyflow/react'
import { cn } from '@/app/_ui/cn'
import { StatusIcon } from '@/app/_ui/status-badge'
import type { ThreadStatus } from '@/server/threads/status'
import type { NodeState } from './progress'
import type { RoleNode as RoleNodeData } from './to-flow'

const LOOKS: Record<NodeState, string> = {
  idle: 'border-line-strong bg-surface text-ink-soft',
  done: 'border-completed/60 bg-surface text-ink',
  active: 'border-running bg-surface text-ink ring-3 ring-running/25',
  possible: 'border-dashed border-running bg-surface text-ink',
  completed: 'border-completed bg-surface text-ink',
  failed: 'border-failed bg-surface text-ink ring-3 ring-failed/20',
  killed: 'border-killed bg-surface text-ink ring-3 ring-killed/20',
  dropped: 'border-dropped bg-surface text-ink-soft',
}

const ICONS: Record<NodeState, ThreadStatus | null> = {
  idle: null,
  done: 'completed',
  active: 'running',
  possible: 'queued',
  completed: 'completed',
  failed: 'failed',
  killed: 'killed',
  dropped: 'dropped',
}

const SAID: Record<NodeState, string> = {
  idle: 'not reached',
  done: 'done',
  active: 'at work now',
  possible: 'may be at work now',
  completed: 'completed',
  failed: 'failed',
  killed: 'killed',
  dropped: 'dropped',
}

export function RoleNode({ data, selected }: NodeProps<RoleNodeData>) {
  const { placed, state, visits } = data
  const icon = ICONS[state]
  const isRole = placed.kind === 'role'
  return (
    <div
      data-role={placed.id}
      data-state={state}
      title={[placed.description, SAID[state]].filter(Boolean).join('\n')}
      style={{ width: placed.width, height: placed.height }}
      className={cn(
        'flex items-center justify-center gap-1.5 border px-2.5 text-sm transition-colors',
        isRole ? 'rounded-lg font-medium' : 'rounded-full text-xs',
        LOOKS[state],
        selected && 'outline-2 outline-offset-2 outline-accent',
      )}
    >
      <Handle type="target" position={Position.Top} className="invisible" isConnectable={false} />
      {icon !== null && <StatusIcon status={icon} className={isRole ? 'size-4' : 'size-3.5'} />}
      <span className="truncate">{placed.label}</span>
      <span className="sr-only">, {SAID[state]}</span>
      {isRole && visits > 1 && (
        <span className="rounded-full bg-raised px-1.5 text-xs text-ink-soft tabular-nums">
          <span aria-hidden>×</span>
          {visits}
          <span className="sr-only"> times</span>
        </span>
      )}
      <Handle type="source" position={Position.Bottom} className="invisible" isConnectable={false} />
    </div>
  )
}
