'use client'

import { useInfiniteQuery } from '@tanstack/react-query'
import { GitCompareArrows } from 'lucide-react'
import Link from 'next/link'
import { useTRPC, useTRPCClient } from '@/app/_trpc/context'
import { pagesOptions } from '@/app/_trpc/pages'
import { Button } from '@/app/_ui/button'
import { shortId } from '@/app/_ui/format'
import { Panel } from '@/app/_ui/panel'
import { ThreadLink } from '@/app/_ui/thread-link'

const PAGE = 10

/** The threads that were forked from this one, newest first; nothing when there are none. */
export function ForksPanel({ threadId }: { threadId: string }) {
  const trpc = useTRPC()
  const client = useTRPCClient()
  const input = { id: threadId, limit: PAGE }
  const forks = useInfiniteQuery(
    pagesOptions(trpc.thread.forks.queryKey(input), (at) => client.thread.forks.query({ ...input, ...at })),
  )
  const items = forks.data?.pages.flatMap((page) => page.items) ?? []
  if (items.length === 0) return null
  return (
    <Panel title="Forks">
      <ul aria-label="Forks" className="grid gap-1.5">
        {items.map((fork) => (
          <li key={fork.id} className="flex items-center justify-between gap-2">
            <ThreadLink thread={fork} />
            <Button asChild look="quiet" size="iconSmall">
              <Link href={`/compare?a=${threadId}&b=${fork.id}`} aria-label={`Compare with fork …${shortId(fork.id)}`}>
                <GitCompareArrows aria-hidden />
              </Link>
            </Button>
          </li>
        ))}
      </ul>
      {forks.hasNextPage && (
        <Button size="small" className="mt-2" disabled={forks.isFetching} onClick={() => forks.fetchNextPage()}>
          More
        </Button>
      )}
    </Panel>
  )
}
