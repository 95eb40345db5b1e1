import type { Metadata } from 'next'
import { Hydrated, readForPage } from '@/app/_trpc/server'
import { threadIdSchema } from '@/server/kernel/ids'
import { CompareForm } from './_components/compare-form'
import { CompareView } from './_components/compare-view'

export const metadata: Metadata = { title: 'Compare' }

type ComparePageProps = { searchParams: Promise<{ a?: string | string[]; b?: string | string[] }> }

export default async function ComparePage({ searchParams }: ComparePageProps) {
  const asked = await searchParams
  const [a, b] = [threadIdSchema.safeParse(asked.a), threadIdSchema.safeParse(asked.b)]
  if (!a.success || !b.success) return <CompareForm a={a.data ?? ''} b={b.data ?? ''} />
  // Refuses who may not read, and finds out which of the two there are, before anything is shown.
  await readForPage(({ trpc, queryClient }) =>
    Promise.all([a.data, b.data].map((id) => queryClient.fetchQuery(trpc.thread.get.queryOptions({ id })))),
  )
  return (
    <Hydrated>
      <CompareView a={a.data} b={b.data} />
    </Hydrated>
  )
}
