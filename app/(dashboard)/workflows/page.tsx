import type { Metadata } from 'next'
import { pagesOptions } from '@/app/_trpc/pages'
import { Hydrated, readForPage } from '@/app/_trpc/server'
import { WorkflowsView } from './_components/workflows-view'

export const metadata: Metadata = { title: 'Workflows' }

export default async function WorkflowsPage() {
  await readForPage(({ trpc, caller, queryClient }) =>
    queryClient.fetchInfiniteQuery(
      pagesOptions(trpc.workflow.list.queryKey({ limit: 100 }), (at) => caller.workflow.list({ limit: 100, ...at })),
    ),
  )
  return (
    <Hydrated>
      <WorkflowsView />
    </Hydrated>
  )
}
