'use client'

import { useInfiniteQuery } from '@tanstack/react-query'
import { GitFork } from 'lucide-react'
import { useTRPC, useTRPCClient } from '@/app/_trpc/context'
import { sentenceOf } from '@/app/_trpc/errors'
import { Button } from '@/app/_ui/button'
import { ErrorPanel } from '@/app/_ui/error-panel'
import { HashChip } from '@/app/_ui/hash-chip'
import { PageHeader } from '@/app/_ui/page-header'
import { SkeletonRows } from '@/app/_ui/skeleton'
import { StatusBadge } from '@/app/_ui/status-badge'
import { ThreadLink } from '@/app/_ui/thread-link'
import type { ThreadSummary } from '@/server/threads/views'
import { sharedText } from '../_model/shared-text'
import { CompareRow } from './compare-row'

const PAGE = 50

/** Two threads, step by step from where they part. */
export function CompareView({ a, b }: { a: string; b: string }) {
  const trpc = useTRPC()
  const client = useTRPCClient()
  const input = { a, b, limit: PAGE }
  const pages = useInfiniteQuery({
    queryKey: [...trpc.thread.compare.queryKey(input), 'pages'],
    queryFn: ({ pageParam }) =>
      client.thread.compare.query({ ...input, ...(pageParam === null ? {} : { after: pageParam }) }),
    initialPageParam: null as number | null,
    getNextPageParam: (page) => page.next,
  })
  const first = pages.data?.pages[0]
  const rows = pages.data?.pages.flatMap((page) => page.rows) ?? []
  return (
    <>
      <PageHeader trail={[{ href: '/threads', label: 'Threads' }]} title="Compare" />
      {pages.error !== null && (
        <ErrorPanel title="The two could not be compared" message={sentenceOf(pages.error)} className="mb-4">
          <Button onClick={() => pages.refetch()}>Try again</Button>
        </ErrorPanel>
      )}
      {first === undefined ? (
        pages.error === null && <SkeletonRows rows={6} label="Comparing" />
      ) : (
        <>
          <div className="mb-4 grid gap-2 md:grid-cols-2">
            <SideHead label="First" side={first.sides.a} />
            <SideHead label="Second" side={first.sides.b} />
          </div>
          <p className="mb-4 flex flex-wrap items-center gap-2 rounded-lg border border-line bg-surface px-4 py-2.5">
            <GitFork aria-hidden className="size-4 text-ink-faint" />
            {sharedText(first)}
            {first.shared.hash !== null && !first.identical && (
              <HashChip hash={first.shared.hash} href={`/cas/${first.shared.hash}`} className="text-sm" />
            )}
          </p>
          <ol aria-label="Steps" className="grid gap-3">
            {rows.map((row) => (
              <li key={row.step}>
                <CompareRow row={row} />
              </li>
            ))}
          </ol>
          {pages.hasNextPage && (
            <div className="mt-4 text-center">
              <Button disabled={pages.isFetchingNextPage} onClick={() => pages.fetchNextPage()}>
                {pages.isFetchingNextPage ? 'Reading…' : 'Later steps'}
              </Button>
            </div>
          )}
        </>
      )}
    </>
  )
}

function SideHead({ label, side }: { label: string; side: ThreadSummary }) {
  return (
    <section aria-label={`${label} thread`} className="min-w-0 rounded-lg border border-line bg-surface px-4 py-3">
      <p className="mb-1 flex items-center gap-2 text-sm text-ink-faint">
        {label} <StatusBadge status={side.status} />
      </p>
      <ThreadLink thread={side} />
      {side.summary !== null && <p className="mt-1 line-clamp-2 text-sm text-ink-soft">{side.summary}</p>}
    </section>
  )
}
