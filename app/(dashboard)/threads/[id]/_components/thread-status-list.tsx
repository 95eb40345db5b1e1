'use client'

import { useQueries } from '@tanstack/react-query'
import Link from 'next/link'
import { useTRPC } from '@/app/_trpc/context'
import { shortId } from '@/app/_ui/format'
import { StatusBadge } from '@/app/_ui/status-badge'
import { isFinished } from '@/server/threads/status'

/** Threads that are shown with their status; the rest is a count. */
const MAX_SHOWN = 20
/** Other threads tell this page nothing, so it asks, until they are finished. */
const ASK_AGAIN_MS = 2_000

/** Other threads by id, each with its status as it changes. */
export function ThreadStatusList({ ids, label }: { ids: readonly string[]; label: string }) {
  const trpc = useTRPC()
  const threads = useQueries({
    queries: ids.slice(0, MAX_SHOWN).map((id) =>
      trpc.thread.get.queryOptions(
        { id },
        {
          retry: false,
          refetchInterval: ({ state }) =>
            state.error !== null || (state.data !== undefined && isFinished(state.data.status)) ? false : ASK_AGAIN_MS,
        },
      ),
    ),
  })
  return (
    <ul aria-label={label} className="grid gap-1.5">
      {threads.map(({ data, error }, index) => {
        const id = ids[index] ?? ''
        return (
          <li key={id} className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
            <Link href={`/threads/${id}`} className="rounded text-accent hover:underline">
              {data?.workflow ?? 'thread'} <span className="font-mono text-xs">…{shortId(id)}</span>
            </Link>
            {data !== undefined && <StatusBadge status={data.status} />}
            {error !== null && <span className="text-ink-faint">removed, or not to be read</span>}
            {data?.summary != null && <span className="min-w-0 truncate text-ink-faint">{data.summary}</span>}
          </li>
        )
      })}
      {ids.length > MAX_SHOWN && <li className="text-sm text-ink-faint">and {ids.length - MAX_SHOWN} more</li>}
    </ul>
  )
}
