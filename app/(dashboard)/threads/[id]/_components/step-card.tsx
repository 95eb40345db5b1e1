'use client'

import { Braces, FileCode2, Link2, Pilcrow } from 'lucide-react'
import { memo, useState } from 'react'
import { Button } from '@/app/_ui/button'
import { cn } from '@/app/_ui/cn'
import { formatDuration } from '@/app/_ui/format'
import { HashChip } from '@/app/_ui/hash-chip'
import { JsonTree } from '@/app/_ui/json-tree'
import { ClockTime } from '@/app/_ui/time'
import type { StepRecord } from '@/server/threads/records'
import type { ForkPoint } from '../_model/fork-request'
import { ChildLinks } from './child-links'
import { type ContentView, StepContent } from './step-content'
import { StepMenu } from './step-menu'

type StepCardProps = {
  threadId: string
  step: StepRecord
  isTarget: boolean
  onRole: (role: string) => void
  onFork: (point: ForkPoint) => void
}

/** One step: who, when, what it produced, and where that is stored. */
export const StepCard = memo(function StepCard({ threadId, step, isTarget, onRole, onFork }: StepCardProps) {
  const [view, setView] = useState<ContentView>('markdown')
  const other = view === 'markdown' ? 'raw' : 'markdown'
  const fields = Object.keys(step.meta).length
  return (
    <article
      id={`step-${step.step}`}
      data-step={step.step}
      aria-label={`Step ${step.step}, ${step.role}`}
      className={cn('rounded-lg border border-line bg-surface', isTarget && 'border-accent ring-3 ring-accent/20')}
    >
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line py-1.5 pr-2 pl-4 text-sm">
        <a
          href={`#step-${step.step}`}
          title="Link to this step"
          className="group inline-flex items-center gap-1 font-mono text-ink-faint tabular-nums hover:text-ink"
        >
          #{step.step}
          <Link2 aria-hidden className="size-3.5 opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100" />
        </a>
        <button
          type="button"
          onClick={() => onRole(step.role)}
          title={`Show ${step.role} in the graph`}
          className="rounded font-semibold hover:underline"
        >
          {step.role}
        </button>
        <span className="text-ink-soft tabular-nums" title="Since the step before">
          {formatDuration(step.durationMs)}
        </span>
        <ClockTime at={step.at} className="text-ink-faint tabular-nums" />
        <span className="ml-auto flex items-center gap-1">
          <Button
            look="quiet"
            size="small"
            aria-pressed={view === 'raw'}
            aria-label={`Show step ${step.step} as ${other}`}
            onClick={() => setView(other)}
          >
            {view === 'markdown' ? <FileCode2 aria-hidden /> : <Pilcrow aria-hidden />}
            {view === 'markdown' ? 'Raw' : 'Markdown'}
          </Button>
          <StepMenu step={step} onFork={onFork} />
        </span>
      </header>
      <div className="px-4 py-3">
        <StepContent step={step} view={view} />
        {fields > 0 && (
          <div className="mt-3">
            <JsonTree name="meta" value={step.meta} openTo={fields <= 8 ? 1 : 0} />
          </div>
        )}
      </div>
      <footer className="flex flex-wrap items-center gap-x-4 gap-y-0.5 border-t border-line px-4 py-1 text-xs text-ink-faint">
        <span className="inline-flex items-center gap-1">
          <Braces aria-hidden className="size-3.5" />
          node
          <HashChip hash={step.hash} href={`/cas/${step.hash}`} />
        </span>
        <span className="inline-flex items-center gap-1">
          content
          <HashChip hash={step.contentHash} href={`/cas/${step.contentHash}`} />
        </span>
        {step.refs.map((ref) => (
          <span key={ref} className="inline-flex items-center gap-1">
            refers to
            <HashChip hash={ref} href={`/cas/${ref}`} />
          </span>
        ))}
        {step.childThread !== null && <ChildLinks threadId={threadId} hash={step.childThread} />}
      </footer>
    </article>
  )
})
