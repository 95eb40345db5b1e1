import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { Hydrated, readForPage } from '@/app/_trpc/server'
import { shortId } from '@/app/_ui/format'
import { threadIdSchema } from '@/server/kernel/ids'
import { ThreadView } from './_components/thread-view'

/** Records that come with the HTML; the browser reads on from there. */
const FIRST_RECORDS = 60

type ThreadPageProps = { params: Promise<{ id: string }> }

export async function generateMetadata({ params }: ThreadPageProps): Promise<Metadata> {
  return { title: `Thread …${shortId((await params).id)}` }
}

export default async function ThreadPage({ params }: ThreadPageProps) {
  const id = threadIdSchema.safeParse((await params).id)
  if (!id.success) notFound()
  const [thread, records] = await readForPage(({ trpc, queryClient }) =>
    Promise.all([
      queryClient.fetchQuery(trpc.thread.get.queryOptions({ id: id.data })),
      queryClient.fetchQuery(trpc.thread.records.queryOptions({ id: id.data, limit: FIRST_RECORDS })),
    ]),
  )
  await readForPage(({ trpc, queryClient }) =>
    queryClient.fetchQuery(trpc.workflow.descriptor.queryOptions({ hash: thread.bundle })),
  )
  return (
    <Hydrated>
      <ThreadView key={id.data} initial={thread} first={records.items} />
    </Hydrated>
  )
}
