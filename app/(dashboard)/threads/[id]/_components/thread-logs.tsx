'use client'

import { ScrollText } from 'lucide-react'
import { useState } from 'react'
import { cn } from '@/app/_ui/cn'
import { EmptyState } from '@/app/_ui/empty-state'
import { Select } from '@/app/_ui/field'
import { ClockTime } from '@/app/_ui/time'
import { WindowList } from '@/app/_ui/window-list'
import type { ThreadLog } from '../_model/thread-log'

const LEVELS = ['debug', 'info', 'warn', 'error'] as const
type Level = (typeof LEVELS)[number]

const STYLE: Record<Level, string> = {
  debug: 'text-ink-faint',
  info: 'text-ink-soft',
  warn: 'text-paused',
  error: 'text-failed',
}

/** What the workflow logged, from a level up. */
export function ThreadLogs({ logs }: { logs: ThreadLog['logs'] }) {
  const [least, setLeast] = useState<Level>('debug')
  const shown = logs.filter((line) => LEVELS.indexOf(line.level) >= LEVELS.indexOf(least))
  if (logs.length === 0) {
    return (
      <EmptyState icon={ScrollText} title="No log lines">
        <p>
          A role writes here with <code className="font-mono text-sm">runtime.log(text)</code>.
        </p>
      </EmptyState>
    )
  }
  return (
    <section aria-label="Log" className="rounded-lg border border-line bg-surface">
      <div className="flex items-center gap-2 border-b border-line px-3 py-1.5">
        <label htmlFor="least-level" className="text-sm text-ink-faint">
          From level
        </label>
        <Select
          id="least-level"
          className="h-7 w-auto"
          value={least}
          onChange={(event) => setLeast(LEVELS.find((level) => level === event.target.value) ?? 'debug')}
        >
          {LEVELS.map((level) => (
            <option key={level}>{level}</option>
          ))}
        </Select>
      </div>
      <WindowList
        label="Log lines"
        items={shown}
        keyOf={(line) => line.cursor}
        estimate={(line) => 22 + 20 * Math.floor(line.text.length / 100)}
        render={(line) => (
          <div className="flex flex-wrap gap-x-3 px-3 py-0.5 font-mono text-xs leading-5 md:flex-nowrap">
            <ClockTime at={line.at} className="shrink-0 text-ink-faint" />
            <span className={cn('w-10 shrink-0', STYLE[line.level])}>{line.level}</span>
            {line.tag !== null && <span className="shrink-0 text-ink-faint">{line.tag}</span>}
            <span className="min-w-0 basis-full [overflow-wrap:anywhere] whitespace-pre-wrap md:basis-auto">
              {line.text}
            </span>
          </div>
        )}
      />
    </section>
  )
}
