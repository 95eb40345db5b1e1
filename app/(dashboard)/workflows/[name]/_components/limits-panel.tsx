'use client'

import dynamic from 'next/dynamic'
import { useState } from 'react'
import { Button } from '@/app/_ui/button'
import { formatBytes, formatCount, formatDuration } from '@/app/_ui/format'
import { Panel } from '@/app/_ui/panel'
import { Tag } from '@/app/_ui/tag'
import type { WorkflowDetail } from '@/server/registry/views'
import { BOUNDS } from '@/server/threads/limits'
import { LIMIT_ROWS, type LimitUnit } from '../_model/limits-draft'

const LimitsDialog = dynamic(() => import('./limits-dialog'), { ssr: false })

/** The bounds in force for the workflow's threads: what was set for it, and the defaults of the rest. */
export function LimitsPanel({ workflow }: { workflow: WorkflowDetail }) {
  const [isEditing, setIsEditing] = useState(false)
  const { limits } = workflow
  return (
    <Panel
      title={<span id="limits">Limits</span>}
      aside={
        <Button size="small" onClick={() => setIsEditing(true)}>
          Change…
        </Button>
      }
    >
      <dl aria-label="Limits" className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-1 text-sm tabular-nums">
        {LIMIT_ROWS.map(({ name, label, unit }) => (
          <Row key={name} label={label} isSet={limits[name] !== undefined}>
            {name === 'concurrency' && limits.concurrency === undefined
              ? 'what the runners hold'
              : inUnit(limits[name] ?? BOUNDS[name].default, unit)}
          </Row>
        ))}
        <Row label="Above them" isSet={limits.overflow !== undefined}>
          {limits.overflow === 'drop' ? 'new threads are dropped' : 'new threads queue'}
        </Row>
        <Row label="Priority" isSet={limits.priority !== undefined}>
          {limits.priority ?? 0}
        </Row>
        <Row label="Runners need the labels" isSet={limits.labels !== undefined}>
          {limits.labels === undefined
            ? 'none'
            : limits.labels.map((label) => (
                <span key={label} className="ml-1">
                  <Tag name={label} />
                </span>
              ))}
        </Row>
      </dl>
      {isEditing && <LimitsDialog workflow={workflow} onClose={() => setIsEditing(false)} />}
    </Panel>
  )
}

function Row(props: { label: string; isSet: boolean; children: React.ReactNode }) {
  return (
    <div className="contents">
      <dt className="text-ink-faint">{props.label}</dt>
      <dd className={props.isSet ? 'text-right font-semibold' : 'text-right text-ink-soft'}>
        {props.children}
        {props.isSet && <span className="sr-only"> (set for this workflow)</span>}
      </dd>
    </div>
  )
}

function inUnit(value: number, unit: LimitUnit): string {
  switch (unit) {
    case 'seconds':
      return formatDuration(value * 1000)
    case 'bytes':
      return formatBytes(value)
    case 'megabytes':
      return formatBytes(value * 1024 * 1024)
    case 'count':
      return formatCount(value)
  }
}
