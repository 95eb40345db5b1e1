import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { Hydrated, readForPage } from '@/app/_trpc/server'
import { threadIdSchema, workflowNameSchema } from '@/server/kernel/ids'
import { RunForm } from './_components/run-form'

type RunPageProps = { params: Promise<{ name: string }>; searchParams: Promise<{ from?: string | string[] }> }

export async function generateMetadata({ params }: RunPageProps): Promise<Metadata> {
  return { title: `Run ${(await params).name}` }
}

export default async function RunPage({ params, searchParams }: RunPageProps) {
  const name = workflowNameSchema.safeParse((await params).name)
  if (!name.success) notFound()
  await readForPage(({ trpc, queryClient }) =>
    queryClient.fetchQuery(trpc.workflow.get.queryOptions({ name: name.data })),
  )
  const from = threadIdSchema.safeParse((await searchParams).from)
  const thread = from.success
    ? await readForPage(({ trpc, queryClient }) =>
        queryClient.fetchQuery(trpc.thread.get.queryOptions({ id: from.data })),
      )
    : null
  return (
    <Hydrated>
      <RunForm name={name.data} from={thread} />
    </Hydrated>
  )
}
