import type { Metadata } from 'next'
import { Hydrated, readUnlessRefused } from '@/app/_trpc/server'
import { ThreadsView } from './_components/threads-view'
import { listInput, readFilter } from './_model/thread-filter'

export const metadata: Metadata = { title: 'Threads' }

export default async function ThreadsPage(props: {
  searchParams: Promise<Record<string, string | string[] | undefined>>
}) {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(await props.searchParams)) {
    if (typeof value === 'string') params.set(name, value)
  }
  await readUnlessRefused(({ trpc, queryClient }) =>
    Promise.all([
      queryClient.fetchInfiniteQuery(
        trpc.thread.list.infiniteQueryOptions(listInput(readFilter(params)), {
          getNextPageParam: (page) => page.nextCursor ?? undefined,
        }),
      ),
      queryClient.fetchQuery(trpc.workflow.list.queryOptions({ limit: 200 })),
    ]),
  )
  return (
    <Hydrated>
      <ThreadsView />
    </Hydrated>
  )
}
