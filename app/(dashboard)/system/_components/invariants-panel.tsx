'use client'

import { useQuery } from '@tanstack/react-query'
import { CircleCheck, OctagonAlert } from 'lucide-react'
import Link from 'next/link'
import { useState } from 'react'
import { type ApiOutputs, useTRPC } from '@/app/_trpc/context'
import { sentenceOf } from '@/app/_trpc/errors'
import { Button } from '@/app/_ui/button'
import { Panel } from '@/app/_ui/panel'
import { SkeletonRows } from '@/app/_ui/skeleton'
import { Ago } from '@/app/_ui/time'
import { placeOf } from '../_model/place-of'

type Invariant = ApiOutputs['system']['invariants']['items'][number]

/** A check reads a sample of the tables; what it looks for takes seconds to be certain. */
const ASK_AGAIN_MS = 15_000

/** What must hold at any moment, each with whether it does now. */
export function InvariantsPanel() {
  const trpc = useTRPC()
  const [deep, setDeep] = useState(false)
  const report = useQuery(
    trpc.system.invariants.queryOptions({ deep }, { staleTime: 0, refetchInterval: deep ? false : ASK_AGAIN_MS }),
  )
  const broken = report.data?.items.filter((item) => !item.ok).length ?? 0
  return (
    <Panel
      title="Invariants"
      aside={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-ink-faint">
          {report.data !== undefined && (
            <span role="status" data-invariants={report.data.ok ? 'ok' : 'broken'}>
              {report.data.ok ? (
                <span className="text-completed">all hold</span>
              ) : (
                <span className="text-failed">{broken} broken</span>
              )}
              {deep ? ', everything checked ' : ', a sample checked '}
              <Ago at={report.data.checkedAt} />
            </span>
          )}
          <Button
            size="small"
            disabled={report.isFetching && deep}
            onClick={() => (deep ? report.refetch() : setDeep(true))}
          >
            {report.isFetching && deep ? 'Checking…' : 'Check everything'}
          </Button>
        </span>
      }
      bodyClassName="p-0"
    >
      {report.error !== null && (
        <p role="alert" className="p-4 whitespace-pre-line text-danger">
          {sentenceOf(report.error)}
        </p>
      )}
      {report.data === undefined ? (
        report.error === null && <SkeletonRows rows={8} label="Checking the invariants" />
      ) : (
        <ul aria-label="Invariants" className="divide-y divide-line">
          {report.data.items.map((item) => (
            <InvariantRow key={item.name} item={item} />
          ))}
        </ul>
      )}
    </Panel>
  )
}

function InvariantRow({ item }: { item: Invariant }) {
  return (
    <li data-invariant={item.name} data-ok={item.ok} className="flex gap-2.5 px-4 py-2 text-sm">
      {item.ok ? (
        <CircleCheck aria-hidden className="mt-0.5 size-4 shrink-0 text-completed" />
      ) : (
        <OctagonAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-failed" />
      )}
      <div className="min-w-0">
        <p className={item.ok ? '' : 'font-medium text-failed'}>
          <span className="sr-only">{item.ok ? 'Holds: ' : 'Broken: '}</span>
          {item.title}
        </p>
        {item.violations.length > 0 && (
          <ul className="mt-1 grid gap-1">
            {item.violations.map((violation) => (
              <li key={`${violation.id} ${violation.message}`} className="[overflow-wrap:anywhere] text-ink-soft">
                <Named id={violation.id} /> {violation.message}
              </li>
            ))}
            {item.truncated && <li className="text-ink-faint">and more</li>}
          </ul>
        )}
      </div>
    </li>
  )
}

function Named({ id }: { id: string }) {
  const href = placeOf(id)
  return href === null ? (
    <span className="font-mono text-xs">{id}</span>
  ) : (
    <Link href={href} className="rounded font-mono text-xs text-accent hover:underline">
      {id}
    </Link>
  )
}
