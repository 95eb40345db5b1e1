'use client'

import { useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { useTRPC } from '@/app/_trpc/context'
import { shortId } from '@/app/_ui/format'
import { Panel } from '@/app/_ui/panel'
import { ThreadLink } from '@/app/_ui/thread-link'
import { isFinished } from '@/server/threads/status'
import type { ChildTree, ThreadDetail } from '@/server/threads/views'

/** Children tell this page nothing, so it asks while any is not finished. */
const ASK_AGAIN_MS = 2_000

/** Who called this thread, up to the first, and whom it called, all the way down; nothing when it stands alone. */
export function CallStackPanel({ thread }: { thread: ThreadDetail }) {
  const trpc = useTRPC()
  const stack = useQuery(
    trpc.thread.callStack.queryOptions(
      { id: thread.id },
      { refetchInterval: ({ state }) => (state.data?.down.some(isUnderWay) === true ? ASK_AGAIN_MS : false) },
    ),
  )
  const { up = [], down = [] } = stack.data ?? {}
  if (up.length === 0 && down.length === 0) return null
  return (
    <Panel title="Call stack" bodyClassName="grid gap-3 p-4">
      {up.length > 0 && (
        <ol aria-label="Callers" className="grid gap-1.5">
          {up.map(({ thread: caller, calledAt }) => (
            <li key={caller.id}>
              <ThreadLink thread={caller} />
              <p className="pl-5.5 text-xs text-ink-faint">
                {calledAt === null
                  ? 'called before its first step'
                  : `called after step ${calledAt.step}${calledAt.role === null ? '' : `, ${calledAt.role}`}`}
              </p>
            </li>
          ))}
        </ol>
      )}
      <p className="text-sm font-medium" aria-current="true">
        This thread, depth {thread.depth}
      </p>
      {down.length > 0 && <Children label="Called threads" trees={down} />}
    </Panel>
  )
}

function Children({ trees, label }: { trees: readonly ChildTree[]; label: string }) {
  return (
    <ul aria-label={label} className="grid gap-1.5 border-l border-line pl-3">
      {trees.map((tree) => (
        <li key={tree.thread.id} className="min-w-0">
          <ThreadLink thread={tree.thread} />
          {tree.children.length > 0 && (
            <div className="mt-1.5">
              <Children label={`Called by …${shortId(tree.thread.id)}`} trees={tree.children} />
            </div>
          )}
          {tree.more && (
            <Link href={`/threads/${tree.thread.id}`} className="text-xs text-ink-faint hover:underline">
              and more
            </Link>
          )}
        </li>
      ))}
    </ul>
  )
}

function isUnderWay(tree: ChildTree): boolean {
  return !isFinished(tree.thread.status) || tree.children.some(isUnderWay)
}
