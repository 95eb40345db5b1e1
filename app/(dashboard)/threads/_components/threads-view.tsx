'use client'

import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { ArrowUp, ListTree, SearchX } from 'lucide-react'
import Link from 'next/link'
import { useSearchParams } from 'next/navigation'
import { useCallback, useMemo } from 'react'
import { useTRPC, useTRPCClient } from '@/app/_trpc/context'
import { sentenceOf } from '@/app/_trpc/errors'
import { pagesOptions } from '@/app/_trpc/pages'
import { useLiveRefetch } from '@/app/_trpc/use-live-refetch'
import { Button } from '@/app/_ui/button'
import { ConnectionBadge } from '@/app/_ui/connection-badge'
import { EmptyState } from '@/app/_ui/empty-state'
import { ErrorPanel } from '@/app/_ui/error-panel'
import { plural } from '@/app/_ui/format'
import { PageHeader } from '@/app/_ui/page-header'
import { SkeletonRows } from '@/app/_ui/skeleton'
import { isFiltered, listInput, readFilter, splitAt, type ThreadFilter, writeFilter } from '../_model/thread-filter'
import { useReadingMark } from './reading-mark'
import { ThreadFilters } from './thread-filters'
import { ROW_GRID, ThreadRow } from './thread-row'

export function ThreadsView() {
  const trpc = useTRPC()
  const client = useTRPCClient()
  const params = useSearchParams()
  const filter = useMemo(() => readFilter(params), [params])
  const setFilter = useCallback((next: ThreadFilter) => {
    window.history.replaceState(null, '', `/threads${writeFilter(next)}`)
  }, [])
  const input = listInput(filter)
  const list = useInfiniteQuery({
    ...pagesOptions(trpc.thread.list.queryKey(input), (at) => client.thread.list.query({ ...input, ...at })),
    placeholderData: keepPreviousData,
  })
  const queryKey = useMemo(() => trpc.thread.list.pathKey(), [trpc])
  const connection = useLiveRefetch(queryKey)
  const items = list.data?.pages.flatMap((page) => page.items) ?? []
  const [mark, clearMark] = useReadingMark(items[0]?.id)
  const { shown, waiting } = splitAt(items, mark)

  return (
    <>
      <PageHeader
        title="Threads"
        actions={
          <>
            <ConnectionBadge connection={connection} />
            <Button asChild look="solid">
              <Link href="/workflows">Start a thread</Link>
            </Button>
          </>
        }
      />
      <ThreadFilters filter={filter} onChange={setFilter} />
      {waiting.length > 0 && (
        <Button
          look="solid"
          className="fixed bottom-20 left-1/2 z-10 -translate-x-1/2 rounded-full shadow-overlay md:bottom-6"
          onClick={() => {
            clearMark()
            window.scrollTo({ top: 0 })
          }}
        >
          <ArrowUp aria-hidden />
          {plural(waiting.length, 'new thread')}
        </Button>
      )}
      {list.error !== null && (
        <ErrorPanel title="The list could not be read" message={sentenceOf(list.error)} className="mb-3">
          <Button onClick={() => list.refetch()}>Try again</Button>
        </ErrorPanel>
      )}
      {list.isPending ? (
        <SkeletonRows rows={10} label="Loading threads" />
      ) : shown.length === 0 ? (
        list.error === null && <NoThreads isFiltered={isFiltered(filter)} />
      ) : (
        <section aria-label="Threads" className="rounded-lg border border-line bg-surface">
          <div aria-hidden className={`hidden h-8 border-b border-line text-xs text-ink-faint ${ROW_GRID}`}>
            <span>Status</span>
            <span>Prompt</span>
            <span className="text-right">Steps</span>
            <span className="text-right">Duration</span>
            <span className="text-right">Created</span>
          </div>
          <ul className="divide-y divide-line">
            {shown.map((thread) => (
              <li key={thread.id}>
                <ThreadRow thread={thread} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {list.hasNextPage && (
        <div className="mt-4 text-center">
          <Button disabled={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
            {list.isFetchingNextPage ? 'Loading…' : 'Load more'}
          </Button>
        </div>
      )}
    </>
  )
}

function NoThreads(props: { isFiltered: boolean }) {
  return props.isFiltered ? (
    <EmptyState icon={SearchX} title="No thread fits this filter">
      <p>New ones that fit appear here by themselves.</p>
    </EmptyState>
  ) : (
    <EmptyState icon={ListTree} title="No threads yet" command='npx cairn run hello -p "Greet the team" --watch'>
      <p>A thread is one run of a workflow. Start one from a workflow’s page, or with this command:</p>
    </EmptyState>
  )
}
