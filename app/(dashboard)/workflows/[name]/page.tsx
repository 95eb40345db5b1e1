import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { pagesOptions } from '@/app/_trpc/pages'
import { Hydrated, readForPage } from '@/app/_trpc/server'
import { hashSchema, workflowNameSchema } from '@/server/kernel/ids'
import { WorkflowView } from './_components/workflow-view'

type WorkflowPageProps = { params: Promise<{ name: string }>; searchParams: Promise<{ version?: string | string[] }> }

export async function generateMetadata({ params }: WorkflowPageProps): Promise<Metadata> {
  return { title: (await params).name }
}

export default async function WorkflowPage({ params, searchParams }: WorkflowPageProps) {
  const name = workflowNameSchema.safeParse((await params).name)
  if (!name.success) notFound()
  const version = hashSchema.safeParse((await searchParams).version)
  const history = { name: name.data, limit: 20 }
  await readForPage(({ trpc, caller, queryClient }) =>
    Promise.all([
      queryClient.fetchQuery(trpc.workflow.get.queryOptions({ name: name.data })),
      queryClient.fetchInfiniteQuery(
        pagesOptions(trpc.workflow.history.queryKey(history), (at) => caller.workflow.history({ ...history, ...at })),
      ),
      version.success
        ? queryClient.fetchQuery(trpc.workflow.descriptor.queryOptions({ hash: version.data }))
        : Promise.resolve(),
    ]),
  )
  return (
    <Hydrated>
      <WorkflowView name={name.data} version={version.success ? version.data : null} />
    </Hydrated>
  )
}
