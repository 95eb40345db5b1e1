'use client'

import { useMemo } from 'react'
import { cn } from '@/app/_ui/cn'
import { formatDuration } from '@/app/_ui/format'
import { ClockTime } from '@/app/_ui/time'
import { WindowList } from '@/app/_ui/window-list'
import type { ThreadLog } from '../_model/thread-log'
import { type TimelineRow, timelineRows } from '../_model/timeline-rows'

/** Everything that happened, on one time scale. */
export function ThreadTimeline({ timeline }: { timeline: ThreadLog['timeline'] }) {
  const rows = useMemo(() => timelineRows(timeline), [timeline])
  return (
    <section className="rounded-lg border border-line bg-surface" aria-label="Timeline">
      <WindowList
        label="Events and steps"
        items={rows}
        keyOf={(row) => row.key}
        estimate={() => 34}
        render={renderRow}
      />
    </section>
  )
}

function renderRow(row: TimelineRow) {
  const { record } = row
  return (
    <div className="grid grid-cols-[5rem_minmax(0,1fr)_4.5rem] items-center gap-x-3 border-b border-line px-3 [li:last-child>&]:border-b-0 py-1.5 text-sm md:grid-cols-[5rem_11rem_minmax(0,1fr)_5rem]">
      <ClockTime at={record.at} className="text-ink-faint tabular-nums" />
      <span className="min-w-0 truncate">{nameOf(row)}</span>
      <span className="hidden h-3 md:block" aria-hidden>
        <span
          className={cn(
            'block h-full min-w-1 rounded-sm',
            record.kind === 'step' ? 'bg-completed/70' : record.kind === 'end' ? 'bg-ink' : 'bg-line-strong',
          )}
          style={{ marginLeft: `${Math.min(99.5, row.from * 100)}%`, width: `${(row.to - row.from) * 100}%` }}
        />
      </span>
      <span className="text-right text-ink-soft tabular-nums" title={`${formatDuration(row.afterMs)} after the start`}>
        {record.kind === 'step' ? formatDuration(record.durationMs) : `+${formatDuration(row.afterMs)}`}
      </span>
    </div>
  )
}

function nameOf({ record }: TimelineRow) {
  switch (record.kind) {
    case 'start':
      return <span className="text-ink-soft">started</span>
    case 'step':
      return (
        <a href={`#step-${record.step}`} className="font-medium hover:underline">
          <span className="font-mono text-ink-faint">#{record.step}</span> {record.role}
        </a>
      )
    case 'status':
      return (
        <span className="text-ink-soft" title={record.reason ?? `by ${record.actor}`}>
          {record.type.replace('_', ' ')}
          {record.reason === null ? ` by ${record.actor}` : `: ${record.reason}`}
        </span>
      )
    case 'end':
      return (
        <span className="font-medium">
          {record.status} with {record.returnCode}
        </span>
      )
  }
}
