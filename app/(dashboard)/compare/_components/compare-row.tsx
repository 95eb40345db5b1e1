'use client'

import { Equal } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { Button } from '@/app/_ui/button'
import { cn } from '@/app/_ui/cn'
import { HashChip } from '@/app/_ui/hash-chip'
import { Skeleton } from '@/app/_ui/skeleton'
import type { CompareStep, CompareRow as Row } from '@/server/threads/views'

const TextDiff = dynamic(() => import('./text-diff'), { loading: () => <Skeleton className="h-16" /> })

/** One step of both threads: what differs is shown side by side, what is the same only when asked for. */
export function CompareRow({ row }: { row: Row }) {
  const { step, a, b, differs } = row
  const isSame = differs.length === 0
  const [isOpen, setIsOpen] = useState(!isSame)
  const roles = [...new Set([a?.role, b?.role].filter((role) => role !== undefined))]
  return (
    <article
      aria-label={`Step ${step}`}
      data-differs={differs.join(' ')}
      className={cn('rounded-lg border border-line bg-surface', !isSame && 'border-line-strong')}
    >
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-1.5 text-sm">
        <span className="font-mono text-ink-faint tabular-nums">#{step}</span>
        <span className="font-semibold">{roles.join(' / ')}</span>
        {isSame ? (
          <span className="inline-flex items-center gap-1 text-ink-faint">
            <Equal aria-hidden className="size-3.5" /> the same
          </span>
        ) : (
          <span className="text-failed">{sentenceOf(row)}</span>
        )}
        <Button look="quiet" size="small" className="ml-auto" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? 'Hide' : 'Show'}
        </Button>
      </header>
      {isOpen && (
        <div className="grid gap-3 border-t border-line p-4">
          <div className="grid gap-2 text-xs text-ink-faint md:grid-cols-2">
            <NodeOf step={a} />
            <NodeOf step={b} />
          </div>
          <TextDiff label="Content" a={a?.content ?? null} b={b?.content ?? null} />
          {(hasMeta(a) || hasMeta(b)) && (
            <div>
              <p className="mb-1 text-sm text-ink-faint">meta</p>
              <TextDiff label="Meta" a={metaText(a)} b={metaText(b)} />
            </div>
          )}
        </div>
      )}
    </article>
  )
}

function NodeOf({ step }: { step: CompareStep | null }) {
  if (step === null) return <span>has no such step</span>
  return (
    <span className="inline-flex items-center gap-1">
      node <HashChip hash={step.hash} href={`/cas/${step.hash}`} />
      {step.contentTruncated && 'only the beginning of its content is compared'}
    </span>
  )
}

function sentenceOf({ a, differs }: Row): string {
  if (differs.includes('missing')) return a === null ? 'only in the second' : 'only in the first'
  const last = differs.at(-1)
  return differs.length === 1 ? `${last} differs` : `${differs.slice(0, -1).join(', ')} and ${last} differ`
}

function hasMeta(step: CompareStep | null): boolean {
  return step !== null && Object.keys(step.meta).length > 0
}

function metaText(step: CompareStep | null): string | null {
  return step === null ? null : JSON.stringify(step.meta, null, 2)
}
