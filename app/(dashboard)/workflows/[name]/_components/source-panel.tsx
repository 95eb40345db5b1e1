'use client'

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTRPC } from '@/app/_trpc/context'
import { sentenceOf } from '@/app/_trpc/errors'
import { Button } from '@/app/_ui/button'
import { CopyButton } from '@/app/_ui/copy-button'
import { formatBytes } from '@/app/_ui/format'
import { Panel } from '@/app/_ui/panel'

/** The bundle's source, read when asked for: it may be megabytes. */
export function SourcePanel({ hash }: { hash: string }) {
  const trpc = useTRPC()
  const [isOpen, setIsOpen] = useState(false)
  const source = useQuery(
    trpc.workflow.source.queryOptions({ hash }, { enabled: isOpen, staleTime: Number.POSITIVE_INFINITY }),
  )
  return (
    <Panel
      title="Source"
      aside={
        <span className="flex items-center gap-1 text-sm text-ink-faint">
          {source.data !== undefined && isOpen && (
            <>
              {formatBytes(source.data.size)}
              <CopyButton text={source.data.source} label="source" />
            </>
          )}
          <Button size="small" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            {isOpen ? 'Hide' : 'Show'}
          </Button>
        </span>
      }
      bodyClassName={isOpen ? 'p-0' : 'hidden'}
    >
      {source.error !== null && <p className="p-4 whitespace-pre-line text-danger">{sentenceOf(source.error)}</p>}
      {source.isFetching && <p className="p-4 text-ink-faint">Reading…</p>}
      {source.data !== undefined && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <pre tabIndex={0} className="max-h-[36rem] overflow-auto p-4 font-mono text-xs leading-5">
          {source.data.source}
        </pre>
      )}
    </Panel>
  )
}
