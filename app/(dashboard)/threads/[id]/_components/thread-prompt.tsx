'use client'

import { useState } from 'react'
import { Button } from '@/app/_ui/button'
import { cn } from '@/app/_ui/cn'
import { Panel } from '@/app/_ui/panel'

/** A prompt of more characters starts folded. */
const FOLD = 600

export function ThreadPrompt({ prompt }: { prompt: string }) {
  const [isOpen, setIsOpen] = useState(false)
  const isLong = prompt.length > FOLD || prompt.split('\n').length > 8
  return (
    <Panel title="Prompt" className="mb-4">
      {prompt === '' ? (
        <p className="text-ink-faint">This thread has no prompt.</p>
      ) : (
        <p className={cn('[overflow-wrap:anywhere] whitespace-pre-wrap', isLong && !isOpen && 'line-clamp-6')}>
          {prompt}
        </p>
      )}
      {isLong && (
        <Button size="small" className="mt-2" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? 'Fold' : 'Show all'}
        </Button>
      )}
    </Panel>
  )
}
