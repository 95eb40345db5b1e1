import type { Metadata } from 'next'
import { Hydrated, readForPage } from '@/app/_trpc/server'
import { WorkflowsView } from './_components/workflows-view'

export const metadata: Metadata = { title: 'Workflows' }

export default async function WorkflowsPage() {
  await readForPage(({ trpc, queryClient }) =>
    queryClient.fetchInfiniteQuery(
      trpc.workflow.list.infiniteQueryOptions(
        { limit: 100 },
        { getNextPageParam: (page) => page.nextCursor ?? undefined },
      ),
    ),
  )
  return (
    <Hydrated>
      <WorkflowsView />
    </Hydrated>
  )
}
