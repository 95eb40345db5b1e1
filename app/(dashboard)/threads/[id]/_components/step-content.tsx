'use client'

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC } from '@/app/_trpc/context'
import { sentenceOf } from '@/app/_trpc/errors'
import { Button } from '@/app/_ui/button'
import { cn } from '@/app/_ui/cn'
import { plural } from '@/app/_ui/format'
import { LazyMarkdown } from '@/app/_ui/lazy-markdown'
import type { StepRecord } from '@/server/threads/records'
import { contentText } from '../_model/content-text'

/** A content of more lines or characters starts folded. */
const FOLD = { lines: 120, characters: 6_000 }
/** What a folded content can show. */
const FOLDED_CHARACTERS = 3_000

/** Longer texts are shown as they are: Markdown that an agent wrote can take its length squared to parse. */
const MAX_MARKDOWN = 20_000

export type ContentView = 'markdown' | 'raw'

/** What a role produced, as Markdown or as it is. A content that came cut is read whole when asked for. */
export function StepContent({ step, view }: { step: StepRecord; view: ContentView }) {
  const trpc = useTRPC()
  const [wantsAll, setWantsAll] = useState(false)
  const [isOpen, setIsOpen] = useState(false)
  const whole = useQuery(
    trpc.cas.get.queryOptions(
      { hash: step.contentHash },
      { enabled: wantsAll, staleTime: Number.POSITIVE_INFINITY, select: (object) => contentText(object.body) },
    ),
  )
  const text = whole.data ?? step.content
  const isLong = text.length > FOLD.characters || text.split('\n', FOLD.lines + 1).length > FOLD.lines
  const isFolded = isLong && !isOpen
  const shown = isFolded ? text.slice(0, FOLDED_CHARACTERS) : text
  if (text === '') return <p className="text-sm text-ink-faint">This step has no content.</p>
  return (
    <div>
      <div className={cn('relative', isFolded && 'max-h-96 overflow-hidden')}>
        {view === 'markdown' && shown.length <= MAX_MARKDOWN ? (
          <LazyMarkdown text={shown} />
        ) : (
          <pre className="overflow-x-auto font-mono text-xs leading-5 [overflow-wrap:anywhere] whitespace-pre-wrap">
            {shown}
          </pre>
        )}
        {isFolded && (
          <div aria-hidden className="absolute inset-x-0 bottom-0 h-16 bg-linear-to-t from-surface to-transparent" />
        )}
      </div>
      <div className="mt-2 flex flex-wrap items-center gap-2 empty:hidden">
        {isLong && (
          <Button size="small" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            {isOpen ? 'Fold' : `Show all ${plural(text.length, 'character')}`}
          </Button>
        )}
        {step.contentTruncated && whole.data === undefined && (
          <Button size="small" disabled={whole.isFetching} onClick={() => setWantsAll(true)}>
            {whole.isFetching ? 'Reading…' : 'There is more: read the whole content'}
          </Button>
        )}
        {whole.error !== null && <p className="text-sm whitespace-pre-line text-danger">{sentenceOf(whole.error)}</p>}
      </div>
    </div>
  )
}
