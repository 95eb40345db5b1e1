import Link from 'next/link'
import type { ThreadSummary } from '@/server/threads/views'
import { shortId } from './format'
import { StatusIcon } from './status-badge'

/** A thread in one line: status, workflow, id, and the beginning of its prompt. */
export function ThreadLink({ thread }: { thread: Pick<ThreadSummary, 'id' | 'workflow' | 'status' | 'excerpt'> }) {
  return (
    <Link
      href={`/threads/${thread.id}`}
      data-thread={thread.id}
      className="group flex min-w-0 items-center gap-2 rounded text-sm"
    >
      <StatusIcon status={thread.status} className="size-3.5" />
      <span className="sr-only">{thread.status}</span>
      <span className="shrink-0 text-accent group-hover:underline">
        {thread.workflow} <span className="font-mono text-xs">…{shortId(thread.id)}</span>
      </span>
      <span className="min-w-0 truncate text-ink-faint">{thread.excerpt}</span>
    </Link>
  )
}
