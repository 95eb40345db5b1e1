import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { Hydrated, readForPage } from '@/app/_trpc/server'
import { hashSchema } from '@/server/kernel/ids'
import { ObjectView } from './_components/object-view'

type ObjectPageProps = { params: Promise<{ hash: string }> }

export async function generateMetadata({ params }: ObjectPageProps): Promise<Metadata> {
  return { title: `Object ${(await params).hash}` }
}

export default async function ObjectPage({ params }: ObjectPageProps) {
  const hash = hashSchema.safeParse((await params).hash)
  if (!hash.success) notFound()
  await readForPage(({ trpc, queryClient }) =>
    Promise.all([
      queryClient.fetchQuery(trpc.cas.get.queryOptions({ hash: hash.data })),
      queryClient.fetchQuery(trpc.cas.refs.queryOptions({ hash: hash.data })),
    ]),
  )
  return (
    <Hydrated>
      <ObjectView hash={hash.data} />
    </Hydrated>
  )
}
