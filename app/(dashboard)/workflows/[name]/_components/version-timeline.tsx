'use client'

import { useInfiniteQuery } from '@tanstack/react-query'
import { ArchiveRestore, Gauge, KeyRound, type LucideIcon, PackagePlus, Rocket, Trash2, Undo2 } from 'lucide-react'
import Link from 'next/link'
import { useState } from 'react'
import { useTRPC, useTRPCClient } from '@/app/_trpc/context'
import { sentenceOf } from '@/app/_trpc/errors'
import { pagesOptions } from '@/app/_trpc/pages'
import { Button } from '@/app/_ui/button'
import { formatCount, plural } from '@/app/_ui/format'
import { HashChip } from '@/app/_ui/hash-chip'
import { Panel } from '@/app/_ui/panel'
import { Ago } from '@/app/_ui/time'
import type { RegistryEvent, WorkflowDetail } from '@/server/registry/views'
import { RollbackDialog } from './rollback-dialog'

const LOOKS: Record<RegistryEvent['type'], { icon: LucideIcon; text: string }> = {
  added: { icon: PackagePlus, text: 'Added' },
  promoted: { icon: Rocket, text: 'Promoted' },
  rolled_back: { icon: Undo2, text: 'Rolled back to' },
  removed: { icon: Trash2, text: 'Removed' },
  restored: { icon: ArchiveRestore, text: 'Restored' },
  granted: { icon: KeyRound, text: 'Permissions changed' },
  limited: { icon: Gauge, text: 'Limits changed' },
}

/** What happened to the workflow, newest first, with how the threads of each version ended. */
export function VersionTimeline({ workflow }: { workflow: WorkflowDetail }) {
  const trpc = useTRPC()
  const [target, setTarget] = useState<string | null>(null)
  const client = useTRPCClient()
  const input = { name: workflow.name, limit: 20 }
  const history = useInfiniteQuery(
    pagesOptions(trpc.workflow.history.queryKey(input), (at) => client.workflow.history.query({ ...input, ...at })),
  )
  const events = history.data?.pages.flatMap((page) => page.items) ?? []
  // A version that was current twice is told once, where it became so last.
  const current = events.find(
    (event) => event.type !== 'granted' && event.type !== 'limited' && event.after === workflow.current,
  )
  return (
    <Panel title="Versions" bodyClassName="p-0">
      {history.error !== null && <p className="p-4 whitespace-pre-line text-danger">{sentenceOf(history.error)}</p>}
      <ol aria-label="Versions" className="divide-y divide-line">
        {events.map((event) => (
          <EventRow
            key={event.seq}
            event={event}
            isCurrent={event === current}
            workflow={workflow}
            onRollback={setTarget}
          />
        ))}
      </ol>
      {history.hasNextPage && (
        <div className="border-t border-line p-2 text-center">
          <Button size="small" disabled={history.isFetchingNextPage} onClick={() => history.fetchNextPage()}>
            Earlier
          </Button>
        </div>
      )}
      {target !== null && <RollbackDialog workflow={workflow} to={target} onClose={() => setTarget(null)} />}
    </Panel>
  )
}

type EventRowProps = {
  event: RegistryEvent
  isCurrent: boolean
  workflow: WorkflowDetail
  onRollback: (hash: string) => void
}

function EventRow({ event, isCurrent, workflow, onRollback }: EventRowProps) {
  const look = LOOKS[event.type]
  const { total, completed, failed } = event.threads
  const changed = event.type === 'granted' || event.type === 'limited' ? null : event.after
  return (
    <li data-event={event.type} className="flex gap-3 px-4 py-3">
      <look.icon aria-hidden className="mt-0.5 size-4 shrink-0 text-ink-faint" />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 text-sm">
          <span className="font-medium">{look.text}</span>
          {changed !== null && (
            <HashChip hash={changed} href={`/workflows/${workflow.name}?version=${changed}`} className="text-sm" />
          )}
          {isCurrent && (
            <span className="rounded-full bg-completed/10 px-2 text-xs font-medium text-completed">current</span>
          )}
        </p>
        {event.note !== null && <p className="[overflow-wrap:anywhere] text-ink-soft">{event.note}</p>}
        <p className="text-sm text-ink-faint">
          <Ago at={event.at} /> by {event.actor}
        </p>
        {changed !== null && (
          <p className="text-sm text-ink-faint tabular-nums">
            {total === 0 ? (
              'no threads'
            ) : (
              <Link href={`/threads?workflow=${workflow.name}`} className="rounded hover:underline">
                {plural(total, 'thread')}: {formatCount(completed)} completed
                {failed > 0 && <span className="text-failed">, {formatCount(failed)} failed</span>}
              </Link>
            )}
          </p>
        )}
        {changed !== null && changed !== workflow.current && (
          <Button size="small" className="mt-1.5" onClick={() => onRollback(changed)}>
            <Undo2 aria-hidden />
            Roll back to this
          </Button>
        )}
      </div>
    </li>
  )
}
