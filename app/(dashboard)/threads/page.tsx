import type { Metadata } from 'next'
import { pagesOptions } from '@/app/_trpc/pages'
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
  const input = listInput(readFilter(params))
  await readUnlessRefused(({ trpc, caller, queryClient }) =>
    Promise.all([
      queryClient.fetchInfiniteQuery(
        pagesOptions(trpc.thread.list.queryKey(input), (at) => caller.thread.list({ ...input, ...at })),
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
