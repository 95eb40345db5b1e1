'use client'

import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useTRPC, useTRPCClient } from '@/app/_trpc/context'

export const LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type Level = (typeof LEVELS)[number]

const PAGE = 200

/** Log lines of a thread from a level up, page by page; `newest` grows with each such line that the page hears of live. */
export function useLogPages(threadId: string, level: Level, newest: number) {
  const trpc = useTRPC()
  const client = useTRPCClient()
  const input = { id: threadId, level, limit: PAGE }
  const pages = useInfiniteQuery({
    queryKey: [...trpc.thread.logs.queryKey(input), 'pages'],
    queryFn: ({ pageParam }) =>
      client.thread.logs.query({ ...input, ...(pageParam === null ? {} : { after: pageParam }) }),
    initialPageParam: null as number | null,
    // A page that is not full is the end for now: more may come after where it ended.
    getNextPageParam: (page, _pages, after) => page.cursor ?? after,
  })
  const last = pages.data?.pages.at(-1)
  const hasMore = last !== undefined && last.items.length === PAGE
  const read = useRef(newest)
  const lines = pages.data?.pages.flatMap((page) => page.items) ?? []
  const isEmpty = lines.length === 0
  const { fetchNextPage, refetch, isFetching } = pages
  useEffect(() => {
    if (last === undefined || hasMore || isFetching || read.current === newest) return
    read.current = newest
    // Nothing comes after an empty first page: it is read again.
    void (isEmpty ? refetch() : fetchNextPage())
  }, [last, hasMore, isFetching, newest, isEmpty, refetch, fetchNextPage])
  return {
    lines,
    hasMore,
    isPending: pages.isPending,
    isFetching,
    error: pages.error,
    readMore: fetchNextPage,
    retry: refetch,
  }
}
