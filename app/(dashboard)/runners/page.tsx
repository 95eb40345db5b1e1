import type { Metadata } from 'next'
import { Hydrated, readForPage } from '@/app/_trpc/server'
import { RunnersView } from './_components/runners-view'

export const metadata: Metadata = { title: 'Runners' }

export default async function RunnersPage() {
  await readForPage(({ trpc, queryClient }) =>
    Promise.all([
      queryClient.fetchQuery(trpc.runner.list.queryOptions({})),
      queryClient.fetchQuery(trpc.runner.quarantines.queryOptions({})),
    ]),
  )
  return (
    <Hydrated>
      <RunnersView />
    </Hydrated>
  )
}
