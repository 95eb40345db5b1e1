'use client'

import { useSuspenseQuery } from '@tanstack/react-query'
import { Server } from 'lucide-react'
import { useTRPC } from '@/app/_trpc/context'
import { EmptyState } from '@/app/_ui/empty-state'
import { plural } from '@/app/_ui/format'
import { PageHeader } from '@/app/_ui/page-header'
import { QuarantineList } from './quarantine-list'
import { RunnerCard } from './runner-card'

/** Heartbeats tell nobody, so the page asks. */
const ASK_AGAIN_MS = 5_000

export function RunnersView() {
  const trpc = useTRPC()
  const { data } = useSuspenseQuery(trpc.runner.list.queryOptions({}, { refetchInterval: ASK_AGAIN_MS }))
  const { data: quarantines } = useSuspenseQuery(
    trpc.runner.quarantines.queryOptions({}, { refetchInterval: ASK_AGAIN_MS }),
  )
  const alive = data.items.filter((runner) => runner.alive)
  const versions = new Set(alive.map((runner) => runner.version))
  return (
    <>
      <PageHeader
        title="Runners"
        about={
          <>
            The processes that run threads. Those of the last day are shown
            {alive.length > 0 && `: ${plural(alive.length, 'runner')} alive`}
            {versions.size > 1 && `, of different versions (${[...versions].join(', ')})`}.
          </>
        }
      />
      {quarantines.items.length > 0 && <QuarantineList items={quarantines.items} />}
      {data.items.length === 0 ? (
        <EmptyState icon={Server} title="No runner was seen in the last day" command="npx cairn up">
          <p>Threads stay queued until one runs.</p>
        </EmptyState>
      ) : (
        <ul aria-label="Runners" className="grid gap-4 md:grid-cols-2 xl:grid-cols-3">
          {data.items.map((runner) => (
            <li key={runner.id} data-runner={runner.id}>
              <RunnerCard runner={runner} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
