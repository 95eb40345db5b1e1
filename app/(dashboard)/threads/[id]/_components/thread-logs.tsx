'use client'

import { ScrollText } from 'lucide-react'
import { useState } from 'react'
import { sentenceOf } from '@/app/_trpc/errors'
import { Button } from '@/app/_ui/button'
import { cn } from '@/app/_ui/cn'
import { EmptyState } from '@/app/_ui/empty-state'
import { ErrorPanel } from '@/app/_ui/error-panel'
import { Select } from '@/app/_ui/field'
import { SkeletonRows } from '@/app/_ui/skeleton'
import { ClockTime } from '@/app/_ui/time'
import { WindowList } from '@/app/_ui/window-list'
import type { ThreadLog } from '../_model/thread-log'
import { LEVELS, type Level, useLogPages } from './use-log-pages'

const STYLE: Record<Level, string> = {
  debug: 'text-ink-faint',
  info: 'text-ink-soft',
  warn: 'text-paused',
  error: 'text-failed',
}

/** What the workflow logged, from a level up. `heard` are the lines that came live: they say when there is more to read. */
export function ThreadLogs({ threadId, heard }: { threadId: string; heard: ThreadLog['logs'] }) {
  const [least, setLeast] = useState<Level>('debug')
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
      <LogLines key={least} threadId={threadId} least={least} heard={heard} />
    </section>
  )
}

function LogLines({ threadId, least, heard }: { threadId: string; least: Level; heard: ThreadLog['logs'] }) {
  const newest = heard.findLast((line) => LEVELS.indexOf(line.level) >= LEVELS.indexOf(least))?.seq ?? 0
  const log = useLogPages(threadId, least, newest)
  if (log.error !== null) {
    return (
      <ErrorPanel title="The log could not be read" message={sentenceOf(log.error)} className="m-3">
        <Button onClick={() => log.retry()}>Try again</Button>
      </ErrorPanel>
    )
  }
  if (log.isPending) return <SkeletonRows rows={4} label="Loading the log" />
  if (log.lines.length === 0) {
    return (
      <EmptyState icon={ScrollText} title={least === 'debug' ? 'No log lines' : `No lines from level ${least} up`}>
        <p>
          A role writes here with <code className="font-mono text-sm">runtime.log(text)</code>.
        </p>
      </EmptyState>
    )
  }
  return (
    <>
      <WindowList
        label="Log lines"
        items={log.lines}
        keyOf={(line) => String(line.seq)}
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
      {log.hasMore && (
        <div className="border-t border-line p-2 text-center">
          <Button size="small" disabled={log.isFetching} onClick={() => log.readMore()}>
            {log.isFetching ? 'Reading…' : 'Later lines'}
          </Button>
        </div>
      )}
    </>
  )
}
