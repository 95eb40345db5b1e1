import { GitFork } from 'lucide-react'
import Link from 'next/link'
import type { Connection } from '@/app/_trpc/live-subscription'
import { ConnectionBadge } from '@/app/_ui/connection-badge'
import { CopyButton } from '@/app/_ui/copy-button'
import { plural, shortId } from '@/app/_ui/format'
import { HashChip } from '@/app/_ui/hash-chip'
import { PageHeader } from '@/app/_ui/page-header'
import { StatusBadge } from '@/app/_ui/status-badge'
import { Ago, Elapsed } from '@/app/_ui/time'
import type { ThreadDetail } from '@/server/threads/views'
import type { ThreadLog } from '../_model/thread-log'
import { ThreadControls } from './thread-controls'
import type { ThreadCommands } from './use-thread-commands'
import type { Verification } from './use-verification'
import { VerifyBadge } from './verify-panel'

export function ThreadHeader(props: {
  thread: ThreadDetail
  log: ThreadLog
  connection: Connection
  verification: Verification
  commands: ThreadCommands
  onFork: () => void
}) {
  const { thread, log, connection, verification, commands, onFork } = props
  const status = log.status ?? thread.status
  const finishedAt = log.end?.at ?? thread.finishedAt
  return (
    <PageHeader
      trail={[
        { href: '/threads', label: 'Threads' },
        { href: `/threads?workflow=${thread.workflow}`, label: thread.workflow },
      ]}
      title={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <Link href={`/workflows/${thread.workflow}`} className="rounded hover:underline">
            {thread.workflow}
          </Link>
          <span className="flex items-center font-mono text-base font-normal text-ink-faint" title={thread.id}>
            …{shortId(thread.id)}
            <CopyButton text={thread.id} label="thread id" />
          </span>
        </span>
      }
      about={
        <div className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-2 text-sm text-ink-faint tabular-nums">
          <StatusBadge status={status} />
          <VerifyBadge verification={verification} steps={log.steps.length} />
          <span>{plural(Math.max(log.steps.length, thread.steps), 'step')}</span>
          {thread.startedAt !== null && (
            <span>
              <Elapsed from={thread.startedAt} to={finishedAt} />
            </span>
          )}
          <span>
            created <Ago at={thread.createdAt} /> by {thread.actor}
          </span>
          <span className="inline-flex items-center gap-1">
            version <HashChip hash={thread.bundle} href={`/workflows/${thread.workflow}?version=${thread.bundle}`} />
          </span>
          {thread.sourceThread !== null && <ForkedFrom source={thread.sourceThread} at={thread.forkedAt} log={log} />}
        </div>
      }
      actions={
        <>
          <ConnectionBadge connection={connection} />
          <ThreadControls thread={{ ...thread, status }} commands={commands} onFork={onFork} />
        </>
      }
    />
  )
}

function ForkedFrom({ source, at, log }: { source: string; at: string | null; log: ThreadLog }) {
  const step = at === null ? undefined : log.steps.find((each) => each.hash === at)?.step
  return (
    <span className="inline-flex items-center gap-1">
      <GitFork aria-hidden className="size-3.5" />
      forked from
      <Link
        href={`/threads/${source}${step === undefined ? '' : `#step-${step}`}`}
        className="rounded font-mono text-accent hover:underline"
      >
        …{shortId(source)}
      </Link>
      {step === undefined ? at === null && 'at its start' : `at step ${step}`}
    </span>
  )
}
