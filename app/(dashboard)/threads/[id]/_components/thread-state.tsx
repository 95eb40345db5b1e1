'use client'

import { CircleDashed, CirclePause } from 'lucide-react'
import type { ThreadDetail } from '@/server/threads/views'
import type { ThreadLog } from '../_model/thread-log'
import { ThreadOutcome } from './thread-outcome'
import { WaitingPanel } from './waiting-panel'

/** Why the thread does not run now: how it ended, what it waits for, who paused it, or why nobody takes it. */
export function ThreadState({ thread, log }: { thread: ThreadDetail; log: ThreadLog }) {
  if (log.end !== null) return <ThreadOutcome end={log.end} />
  const { waiting, status, queued } = thread
  const paused = status === 'paused' ? lastPause(log) : undefined
  return (
    <>
      {status === 'paused' && (
        <p
          data-state="paused"
          className="mb-4 flex gap-2 rounded-lg border border-paused/40 bg-paused/5 px-4 py-2.5 [overflow-wrap:anywhere]"
        >
          <CirclePause aria-hidden className="mt-0.75 size-4 shrink-0 text-paused" />
          <span className="min-w-0">
            Paused by {paused?.actor ?? 'somebody'}
            {paused?.reason != null && <>: {paused.reason}</>}. It holds no process, and goes on when it is resumed.
          </span>
        </p>
      )}
      {status === 'queued' && queued !== null && (
        <p
          data-queued={queued.code}
          className="mb-4 flex gap-2 rounded-lg border border-line bg-surface px-4 py-2.5 [overflow-wrap:anywhere]"
        >
          <CircleDashed aria-hidden className="mt-0.75 size-4 shrink-0 text-queued" />
          <span className="min-w-0">
            <strong className="font-semibold">Queued.</strong> {queued.message}
          </span>
        </p>
      )}
      {(status === 'waiting' || status === 'paused') && waiting !== null && (
        <WaitingPanel threadId={thread.id} wait={waiting} isPaused={status === 'paused'} />
      )}
    </>
  )
}

type StatusRecord = Extract<ThreadLog['timeline'][number], { kind: 'status' }>

function lastPause(log: ThreadLog): StatusRecord | undefined {
  return log.timeline.findLast((record): record is StatusRecord => record.kind === 'status' && record.type === 'paused')
}
