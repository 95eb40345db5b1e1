'use client'

import { useInfiniteQuery } from '@tanstack/react-query'
import { Play, Workflow } from 'lucide-react'
import Link from 'next/link'
import { useMemo } from 'react'
import { useTRPC, useTRPCClient } from '@/app/_trpc/context'
import { sentenceOf } from '@/app/_trpc/errors'
import { pagesOptions } from '@/app/_trpc/pages'
import { useLiveRefetch } from '@/app/_trpc/use-live-refetch'
import { Button } from '@/app/_ui/button'
import { EmptyState } from '@/app/_ui/empty-state'
import { ErrorPanel } from '@/app/_ui/error-panel'
import { plural } from '@/app/_ui/format'
import { HashChip } from '@/app/_ui/hash-chip'
import { PageHeader } from '@/app/_ui/page-header'
import { Sparkline } from '@/app/_ui/sparkline'
import { Ago } from '@/app/_ui/time'
import type { WorkflowSummary } from '@/server/registry/views'

export function WorkflowsView() {
  const trpc = useTRPC()
  const client = useTRPCClient()
  const list = useInfiniteQuery(
    pagesOptions(trpc.workflow.list.queryKey({ limit: 100 }), (at) =>
      client.workflow.list.query({ limit: 100, ...at }),
    ),
  )
  useLiveRefetch(useMemo(() => trpc.workflow.list.pathKey(), [trpc]))
  const items = list.data?.pages.flatMap((page) => page.items) ?? []
  return (
    <>
      <PageHeader title="Workflows" />
      {list.error !== null && (
        <ErrorPanel title="The list could not be read" message={sentenceOf(list.error)} className="mb-3" />
      )}
      {items.length === 0 && list.error === null ? (
        <EmptyState
          icon={Workflow}
          title="No workflows yet"
          command="npx cairn workflow add hello workflows/hello/index.ts"
        >
          <p>A workflow is one file. This builds and registers the first:</p>
        </EmptyState>
      ) : (
        <ul aria-label="Workflows" className="divide-y divide-line rounded-lg border border-line bg-surface">
          {items.map((workflow) => (
            <WorkflowRow key={workflow.name} workflow={workflow} />
          ))}
        </ul>
      )}
      {list.hasNextPage && (
        <div className="mt-4 text-center">
          <Button disabled={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
            Load more
          </Button>
        </div>
      )}
    </>
  )
}

function WorkflowRow({ workflow }: { workflow: WorkflowSummary }) {
  return (
    <li
      data-workflow={workflow.name}
      className="grid gap-x-5 gap-y-2 px-4 py-3 md:grid-cols-[minmax(0,1fr)_11rem_8rem_auto] md:items-center"
    >
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-2">
          <Link href={`/workflows/${workflow.name}`} className="rounded font-semibold hover:underline">
            {workflow.name}
          </Link>
          {workflow.state === 'removed' && <span className="text-sm text-dropped">removed</span>}
        </p>
        <p className="line-clamp-2 text-sm text-ink-soft">{workflow.description}</p>
      </div>
      <Sparkline recent={workflow.recent} />
      <div className="text-sm text-ink-faint">
        <HashChip hash={workflow.current} />
        <p>
          {plural(workflow.roles, 'role')} · <Ago at={workflow.updatedAt} />
        </p>
      </div>
      <Button asChild>
        <Link href={`/workflows/${workflow.name}/run`} aria-label={`Run ${workflow.name}`}>
          <Play aria-hidden />
          Run
        </Link>
      </Button>
    </li>
  )
}
