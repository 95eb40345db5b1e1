import Link from 'next/link'
import type { ReactNode } from 'react'
import { formatCount, formatDuration } from '@/app/_ui/format'
import { HashChip } from '@/app/_ui/hash-chip'
import { JsonTree } from '@/app/_ui/json-tree'
import { Facts, Panel } from '@/app/_ui/panel'
import { Tag } from '@/app/_ui/tag'
import { ClockTime } from '@/app/_ui/time'
import type { ThreadDetail } from '@/server/threads/views'
import type { ThreadLog } from '../_model/thread-log'

export function ThreadFacts({ thread, log }: { thread: ThreadDetail; log: ThreadLog }) {
  const finishedAt = log.end?.at ?? thread.finishedAt
  const rows: [string, ReactNode][] = [
    [
      'Thread',
      <span key="id" className="font-mono text-xs">
        {thread.id}
      </span>,
    ],
    ['Created', <ClockTime key="created" at={thread.createdAt} withDate />],
  ]
  if (thread.startedAt !== null) rows.push(['Started', <ClockTime key="started" at={thread.startedAt} withDate />])
  if (finishedAt !== null) rows.push(['Finished', <ClockTime key="finished" at={finishedAt} withDate />])
  rows.push(['By', `${thread.actor}, from ${thread.origin}`])
  if (log.end !== null) rows.push(['Return code', String(log.end.returnCode)])
  if (thread.runner !== null) rows.push(['Runner', thread.runner])
  if (thread.attempt > 1) rows.push(['Attempts', formatCount(thread.attempt)])
  if (thread.crashes > 0) rows.push(['Crashes since its last step', formatCount(thread.crashes)])
  if (thread.idleMs > 0) rows.push(['Paused and waiting', formatDuration(thread.idleMs)])
  if (thread.priority !== 0) rows.push(['Priority', String(thread.priority)])
  if (thread.maxRounds !== null) rows.push(['Most rounds', formatCount(thread.maxRounds)])
  if (thread.deadlineAt !== null) rows.push(['Deadline', <ClockTime key="deadline" at={thread.deadlineAt} withDate />])
  if (thread.dryRun) rows.push(['Dry run', 'yes: nothing outside is changed'])
  if (thread.parentThread !== null) rows.push(['Called by', threadLink(thread.parentThread)])
  if (thread.tags.length > 0) rows.push(['Tags', tagList(thread.tags)])
  if (thread.labels.length > 0) rows.push(['Needs labels', tagList(thread.labels)])
  if (thread.permissions.length > 0) rows.push(['Needs permissions', tagList(thread.permissions)])
  rows.push(
    ['Start node', <HashChip key="start" hash={thread.start} href={`/cas/${thread.start}`} />],
    ['Head', <HashChip key="head" hash={log.end?.hash ?? thread.head} href={`/cas/${log.end?.hash ?? thread.head}`} />],
  )
  return (
    <Panel title="Facts">
      <Facts rows={rows} />
      {thread.input !== null && (
        <div className="mt-3 border-t border-line pt-2">
          <JsonTree name="input" value={thread.input} />
        </div>
      )}
    </Panel>
  )
}

function tagList(names: readonly string[]) {
  return (
    <span key="names" className="flex flex-wrap gap-1">
      {names.map((name) => (
        <Tag key={name} name={name} />
      ))}
    </span>
  )
}

function threadLink(id: string) {
  return (
    <Link key={id} href={`/threads/${id}`} className="font-mono text-xs text-accent hover:underline">
      {id}
    </Link>
  )
}
