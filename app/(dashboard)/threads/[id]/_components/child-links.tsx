'use client'

import { useQuery } from '@tanstack/react-query'
import { CornerDownRight } from 'lucide-react'
import Link from 'next/link'
import { useTRPC } from '@/app/_trpc/context'
import { shortId } from '@/app/_ui/format'
import { HashChip } from '@/app/_ui/hash-chip'
import { groupThreads } from '../_model/group-threads'

/** The child threads that a step was made from: the one whose end it names, or all those of the group that it names. */
export function ChildLinks({ threadId, hash }: { threadId: string; hash: string }) {
  const trpc = useTRPC()
  const object = useQuery(
    trpc.cas.get.queryOptions(
      { hash },
      { staleTime: Number.POSITIVE_INFINITY, select: ({ type, body }) => (type === 'group' ? groupThreads(body) : []) },
    ),
  )
  const isOne = object.data !== undefined && object.data.length === 0
  const one = useQuery(
    trpc.thread.children.queryOptions(
      { id: threadId, limit: 200 },
      { enabled: isOne, select: ({ items }) => items.filter((child) => child.end === hash) },
    ),
  )
  const children = isOne ? (one.data ?? []) : (object.data ?? [])
  return (
    <>
      {children.map((child) => (
        <Link
          key={child.id}
          href={`/threads/${child.id}`}
          data-child={child.id}
          className="inline-flex items-center gap-1 rounded text-accent hover:underline"
        >
          <CornerDownRight aria-hidden className="size-3.5" />
          child {child.workflow} …{shortId(child.id)}
        </Link>
      ))}
      <span className="inline-flex items-center gap-1">
        {isOne ? 'its end' : 'their ends'}
        <HashChip hash={hash} href={`/cas/${hash}`} />
      </span>
    </>
  )
}
