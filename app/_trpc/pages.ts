import { infiniteQueryOptions, type QueryKey } from '@tanstack/react-query'

/**
 * An infinite query over a list of the API. `read` asks for the page at a cursor, or for the first. (tRPC's own options add
 * `direction` to the input, which the API refuses as it refuses every key that it does not know.)
 */
export function pagesOptions<P extends { nextCursor: string | null }>(
  queryKey: QueryKey,
  read: (at: { cursor?: string }) => Promise<P>,
) {
  const first: string | null = null
  return infiniteQueryOptions({
    queryKey: [...queryKey, 'pages'],
    queryFn: ({ pageParam }: { pageParam: string | null }) => read(pageParam === null ? {} : { cursor: pageParam }),
    initialPageParam: first as string | null,
    getNextPageParam: (page: P) => page.nextCursor,
  })
}
