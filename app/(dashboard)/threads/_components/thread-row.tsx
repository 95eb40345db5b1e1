import Link from 'next/link'
import { formatCount, plural, shortId } from '@/app/_ui/format'
import { StatusBadge } from '@/app/_ui/status-badge'
import { Tag } from '@/app/_ui/tag'
import { Ago, Elapsed } from '@/app/_ui/time'
import type { ThreadListItem } from '@/server/threads/views'

export const ROW_GRID =
  'md:grid md:grid-cols-[7.5rem_minmax(0,1fr)_4.5rem_6rem_6rem] md:items-center md:gap-x-4 md:px-4'

/** Tags that a row shows; the rest is a count. */
const MAX_TAGS = 4

const WAITS_FOR: Record<NonNullable<ThreadListItem['waitsFor']>, string> = {
  input: 'waits for you',
  until: 'waits for a time',
  threads: 'waits for other threads',
}

export function ThreadRow({ thread }: { thread: ThreadListItem }) {
  return (
    <Link
      href={`/threads/${thread.id}`}
      data-thread={thread.id}
      className={`flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2.5 hover:bg-raised/60 focus-visible:-outline-offset-2 ${ROW_GRID}`}
    >
      <StatusBadge status={thread.status} />
      <div className="order-last w-full min-w-0 md:order-none">
        <p className="truncate text-ink">{thread.excerpt || <span className="text-ink-faint">no prompt</span>}</p>
        <p className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 text-sm text-ink-faint">
          <span className="max-w-48 shrink-0 truncate text-ink-soft">{thread.workflow}</span>
          <span className="shrink-0 font-mono text-xs whitespace-nowrap" title={thread.id}>
            …{shortId(thread.id)}
          </span>
          {thread.tags.slice(0, MAX_TAGS).map((tag) => (
            <Tag key={tag} name={tag} />
          ))}
          {thread.tags.length > MAX_TAGS && (
            <span className="text-xs" title={thread.tags.slice(MAX_TAGS).join(', ')}>
              +{thread.tags.length - MAX_TAGS}
            </span>
          )}
          {thread.waitsFor !== null && (
            <span data-waits-for={thread.waitsFor} className="shrink-0 text-waiting">
              {WAITS_FOR[thread.waitsFor]}
            </span>
          )}
          {thread.control !== null && thread.status === 'running' && (
            <span className="shrink-0 text-paused">{thread.control} requested</span>
          )}
          {thread.status !== 'completed' && thread.summary !== null && (
            <span className="min-w-0 flex-1 basis-48 truncate text-failed">{thread.summary}</span>
          )}
        </p>
      </div>
      <span className="text-sm text-ink-soft tabular-nums md:text-right">
        <span aria-hidden className="hidden md:inline">
          {formatCount(thread.steps)}
        </span>
        <span className="md:sr-only">{plural(thread.steps, 'step')}</span>
      </span>
      <span className="text-sm text-ink-soft tabular-nums md:text-right">
        {thread.startedAt === null ? (
          <span className="text-ink-faint">not started</span>
        ) : (
          <Elapsed from={thread.startedAt} to={thread.finishedAt} />
        )}
      </span>
      <Ago at={thread.createdAt} className="ml-auto text-sm text-ink-faint tabular-nums md:text-right" />
    </Link>
  )
}
