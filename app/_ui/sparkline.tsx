import Link from 'next/link'
import type { ThreadStatus } from '@/server/threads/status'
import { THREAD_STATUSES } from '@/server/threads/status'

const BARS: Record<ThreadStatus, string> = {
  queued: 'h-1.5 bg-queued',
  running: 'h-3 bg-running',
  paused: 'h-2 bg-paused',
  waiting: 'h-2 bg-waiting',
  completed: 'h-4 bg-completed',
  failed: 'h-4 bg-failed [mask-image:repeating-linear-gradient(45deg,#000_0_2px,transparent_2px_3px)]',
  killed: 'h-2.5 bg-killed',
  dropped: 'h-1 bg-dropped',
}

function isThreadStatus(text: string): text is ThreadStatus {
  return (THREAD_STATUSES as readonly string[]).includes(text)
}

/** How the newest threads ended, oldest at the left: one bar a thread, a link to it. */
export function Sparkline({ recent }: { recent: { id: string; status: string }[] }) {
  if (recent.length === 0) return <span className="text-sm text-ink-faint">no threads yet</span>
  return (
    <span className="inline-flex h-6 items-center">
      {[...recent].reverse().map((thread) => (
        <Link
          key={thread.id}
          href={`/threads/${thread.id}`}
          title={`${thread.status} · ${thread.id}`}
          aria-label={`Thread ${thread.id}, ${thread.status}`}
          className="flex h-6 w-2 items-center justify-center hover:bg-raised"
        >
          <span className={`w-1 rounded-sm ${BARS[isThreadStatus(thread.status) ? thread.status : 'dropped']}`} />
        </Link>
      ))}
    </span>
  )
}
