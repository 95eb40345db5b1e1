import type { Metadata } from 'next'
import { Hydrated, readForPage } from '@/app/_trpc/server'
import { SystemView } from './_components/system-view'

export const metadata: Metadata = { title: 'System' }

export default async function SystemPage() {
  await readForPage(({ trpc, queryClient }) => queryClient.fetchQuery(trpc.system.info.queryOptions({})))
  return (
    <Hydrated>
      <SystemView />
    </Hydrated>
  )
}
