'use client'

import { useSuspenseQuery } from '@tanstack/react-query'
import { CircleCheck, CircleSlash, Server, TriangleAlert } from 'lucide-react'
import { useTRPC } from '@/app/_trpc/context'
import { EmptyState } from '@/app/_ui/empty-state'
import { formatCount } from '@/app/_ui/format'
import { PageHeader } from '@/app/_ui/page-header'
import { Facts, Panel } from '@/app/_ui/panel'
import { Tag } from '@/app/_ui/tag'
import { Ago } from '@/app/_ui/time'
import type { RunnerView } from '@/server/ops/runners'

/** Heartbeats tell nobody, so the page asks. */
const ASK_AGAIN_MS = 5_000

export function RunnersView() {
  const trpc = useTRPC()
  const { data } = useSuspenseQuery(trpc.runner.list.queryOptions({}, { refetchInterval: ASK_AGAIN_MS }))
  return (
    <>
      <PageHeader title="Runners" about="The processes that run threads. Those of the last day are shown." />
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

function RunnerCard({ runner }: { runner: RunnerView }) {
  const share = runner.capacity === 0 ? 0 : Math.min(1, runner.active / runner.capacity)
  return (
    <Panel
      title={
        <span className="[overflow-wrap:anywhere]">
          {runner.host} <span className="font-normal text-ink-faint">pid {runner.pid}</span>
        </span>
      }
      aside={<RunnerState runner={runner} />}
    >
      <div className="mb-3">
        <p className="mb-1 flex justify-between text-sm tabular-nums">
          <span>
            {formatCount(runner.active)} of {formatCount(runner.capacity)} threads
          </span>
          <span className="text-ink-faint">{Math.round(share * 100)} %</span>
        </p>
        <div className="h-1.5 overflow-hidden rounded-full bg-raised" aria-hidden>
          <div className="h-full rounded-full bg-running" style={{ width: `${share * 100}%` }} />
        </div>
      </div>
      <Facts
        rows={[
          ['Heartbeat', <Ago key="heartbeat" at={runner.heartbeatAt} />],
          ['Started', <Ago key="started" at={runner.startedAt} />],
          ['Version', runner.version],
          ['Sandbox', runner.sandbox.length === 0 ? 'none' : runner.sandbox.join(', ')],
          ['Stale writes refused', formatCount(runner.staleWrites)],
          [
            'Labels',
            runner.labels.length === 0 ? (
              'none'
            ) : (
              <span key="labels" className="flex flex-wrap gap-1">
                {runner.labels.map((label) => (
                  <Tag key={label} name={label} />
                ))}
              </span>
            ),
          ],
        ]}
      />
    </Panel>
  )
}

function RunnerState({ runner }: { runner: RunnerView }) {
  if (runner.alive) {
    return (
      <span className="inline-flex items-center gap-1 text-sm text-completed">
        <CircleCheck aria-hidden className="size-4" /> alive
      </span>
    )
  }
  if (runner.stoppedAt !== null) {
    return (
      <span className="inline-flex items-center gap-1 text-sm text-dropped">
        <CircleSlash aria-hidden className="size-4" /> stopped
      </span>
    )
  }
  return (
    <span className="inline-flex items-center gap-1 text-sm text-failed">
      <TriangleAlert aria-hidden className="size-4" /> not heard of
    </span>
  )
}
