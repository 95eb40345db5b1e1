'use client'

import { useMemo } from 'react'
import { cn } from '@/app/_ui/cn'
import { type DiffPart, diffText } from '../_model/diff-text'

/** Two texts side by side, with what stands in one of them only. */
export default function TextDiff({ a, b, label }: { a: string | null; b: string | null; label: string }) {
  const parts = useMemo(() => (a === null || b === null || a === b ? null : diffText(a, b)), [a, b])
  return (
    <div className="grid gap-2 md:grid-cols-2">
      <Side label={`${label}, first`} text={a} parts={parts} own="removed" />
      <Side label={`${label}, second`} text={b} parts={parts} own="added" />
    </div>
  )
}

function Side(props: { label: string; text: string | null; parts: DiffPart[] | null; own: 'removed' | 'added' }) {
  const { label, text, parts, own } = props
  if (text === null)
    return <p className="rounded-md border border-dashed border-line p-2 text-sm text-ink-faint">nothing</p>
  const shown = parts?.filter((part) => part.kind === 'same' || part.kind === own)
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className="max-h-96 min-w-0 overflow-auto rounded-md border border-line bg-raised/50 p-2 font-mono text-xs leading-5 [overflow-wrap:anywhere] whitespace-pre-wrap"
    >
      {shown === undefined
        ? text
        : shown.map((part, index) =>
            part.kind === 'same' ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity but their place
              <span key={index}>{part.text}</span>
            ) : (
              <mark
                // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity but their place
                key={index}
                className={cn(
                  'rounded-xs text-ink',
                  own === 'removed' ? 'bg-failed/20 line-through decoration-failed/60' : 'bg-completed/20',
                )}
              >
                {part.text}
              </mark>
            ),
          )}
    </section>
  )
}
