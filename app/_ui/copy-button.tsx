'use client'

import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { cn } from './cn'

/** Copies `text`; `label` says what it is, for screen readers and the tooltip. */
export function CopyButton({ text, label, className }: { text: string; label: string; className?: string }) {
  const [state, setState] = useState<'idle' | 'copied' | 'refused'>('idle')
  useEffect(() => {
    if (state === 'idle') return
    const timer = setTimeout(() => setState('idle'), 1500)
    return () => clearTimeout(timer)
  }, [state])
  const said = { idle: `Copy ${label}`, copied: 'Copied', refused: 'The browser refused: select and copy by hand' }[
    state
  ]
  return (
    <button
      type="button"
      title={said}
      aria-label={said}
      className={cn(
        'inline-grid size-6 shrink-0 place-items-center rounded text-ink-faint hover:bg-raised hover:text-ink',
        className,
      )}
      onClick={async (event) => {
        event.preventDefault()
        try {
          await navigator.clipboard.writeText(text)
          setState('copied')
        } catch {
          // Browsers refuse without a secure context or a permission; the button says so.
          setState('refused')
        }
      }}
    >
      {state === 'copied' ? (
        <Check aria-hidden className="size-3.5 text-completed" />
      ) : (
        <Copy aria-hidden className="size-3.5" />
      )}
    </button>
  )
}
