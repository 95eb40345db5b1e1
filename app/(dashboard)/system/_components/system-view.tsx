'use client'

import { useSuspenseQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { useTRPC } from '@/app/_trpc/context'
import { formatBytes, formatCount, formatUtc } from '@/app/_ui/format'
import { PageHeader } from '@/app/_ui/page-header'
import { Facts, Panel } from '@/app/_ui/panel'
import { StatusIcon } from '@/app/_ui/status-badge'
import { Elapsed } from '@/app/_ui/time'
import { GcPanel } from './gc-panel'
import { InvariantsPanel } from './invariants-panel'

const ASK_AGAIN_MS = 5_000
const UNFINISHED = ['queued', 'running', 'paused', 'waiting'] as const

export function SystemView() {
  const trpc = useTRPC()
  const { data } = useSuspenseQuery(trpc.system.info.queryOptions({}, { refetchInterval: ASK_AGAIN_MS }))
  const { counts, database } = data
  return (
    <>
      <PageHeader title="System" />
      <ul aria-label="Unfinished threads" className="mb-4 grid grid-cols-2 gap-4 md:grid-cols-4">
        {UNFINISHED.map((status) => (
          <li key={status}>
            <Link
              href={`/threads?status=${status}`}
              className="block rounded-lg border border-line bg-surface px-4 py-3 hover:border-line-strong"
            >
              <span className="flex items-center gap-1.5 text-sm text-ink-soft">
                <StatusIcon status={status} className="size-3.5" />
                {status}
              </span>
              <span className="text-xl font-semibold tabular-nums">{formatCount(counts[status])}</span>
            </Link>
          </li>
        ))}
      </ul>
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_24rem]">
        <div className="grid min-w-0 gap-4">
          <InvariantsPanel />
          <GcPanel />
        </div>
        <div className="grid min-w-0 gap-4">
          <Panel title="Stored">
            <Facts
              rows={[
                ['Workflows', formatCount(counts.workflows)],
                ['Bundles', `about ${formatCount(counts.bundles)}`],
                ['Threads', `about ${formatCount(counts.threads)}`],
                ['State nodes', `about ${formatCount(counts.nodes)}`],
                ['Contents and blobs', `about ${formatCount(counts.blobs)}`],
                ['Size of the database', formatBytes(database.sizeBytes)],
              ]}
            />
          </Panel>
          <Panel title="Queue">
            {data.oldestQueued === null ? (
              <p className="text-sm text-ink-soft">Nothing is queued.</p>
            ) : (
              <Facts
                rows={[
                  ['Queued', formatCount(counts.queued)],
                  [
                    'Oldest',
                    <Link
                      key="oldest"
                      href={`/threads/${data.oldestQueued.id}`}
                      className="rounded font-mono text-xs text-accent hover:underline"
                    >
                      {data.oldestQueued.id}
                    </Link>,
                  ],
                  ['Queued for', <Elapsed key="age" from={data.oldestQueued.since} to={null} />],
                ]}
              />
            )}
          </Panel>
          <Panel title="Versions">
            <Facts
              rows={[
                ['Cairn', data.version],
                ['Node', data.node],
                ['Postgres', `${database.version}${database.embedded ? ', embedded' : ''}`],
                ['Clock of the database', formatUtc(data.now)],
              ]}
            />
          </Panel>
        </div>
      </div>
    </>
  )
}
