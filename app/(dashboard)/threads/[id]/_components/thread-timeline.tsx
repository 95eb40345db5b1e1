'use client'

import { useMemo } from 'react'
import { cn } from '@/app/_ui/cn'
import { formatDuration } from '@/app/_ui/format'
import { StatusIcon } from '@/app/_ui/status-badge'
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
  const isStatus = record.kind === 'status'
  return (
    <div className="grid grid-cols-[5rem_minmax(0,1fr)_4.5rem] items-start gap-x-3 border-b border-line px-3 [li:last-child>&]:border-b-0 py-1.5 text-sm md:grid-cols-[5rem_11rem_minmax(0,1fr)_5rem]">
      <ClockTime at={record.at} className="text-ink-faint tabular-nums" />
      <span className={cn('min-w-0', isStatus ? '[overflow-wrap:anywhere] md:col-span-2' : 'truncate')}>
        {nameOf(row)}
      </span>
      {!isStatus && (
        <span className="hidden h-3 self-center md:block" aria-hidden>
          <span
            className={cn(
              'block h-full min-w-1 rounded-sm',
              record.kind === 'step' ? 'bg-completed/70' : record.kind === 'end' ? 'bg-ink' : 'bg-line-strong',
            )}
            style={{ marginLeft: `${Math.min(99.5, row.from * 100)}%`, width: `${(row.to - row.from) * 100}%` }}
          />
        </span>
      )}
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
        <span data-event={record.type} className="flex items-start gap-1.5 text-ink-soft">
          <StatusIcon status={record.status} className="mt-0.75 size-3.5 motion-safe:animate-none" />
          <span className="min-w-0">
            <span className="font-medium text-ink">{record.type.replaceAll('_', ' ')}</span>
            {/* The summary of an end names who ended the thread. */}
            {record.reason?.includes(record.actor) !== true && ` by ${record.actor}`}
            {record.reason !== null && `: ${record.reason}`}
          </span>
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
