'use client'

import { useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { useTRPC } from '@/app/_trpc/context'
import { sentenceOf } from '@/app/_trpc/errors'
import { Button } from '@/app/_ui/button'
import { formatBytes, plural } from '@/app/_ui/format'
import { Panel } from '@/app/_ui/panel'

/** Recomputes, on the server and when asked, the hash and digest of the object and of everything below it. */
export function VerifyTree({ hash }: { hash: string }) {
  const trpc = useTRPC()
  const report = useQuery(trpc.cas.verify.queryOptions({ hash }, { enabled: false, gcTime: 0 }))
  return (
    <Panel
      title="Integrity"
      aside={
        <Button size="small" disabled={report.isFetching} onClick={() => report.refetch()}>
          {report.isFetching ? 'Verifying…' : 'Verify'}
        </Button>
      }
    >
      <div role="status" className="text-sm text-ink-soft">
        {report.error !== null ? (
          <p className="whitespace-pre-line text-danger">{sentenceOf(report.error)}</p>
        ) : report.data === undefined ? (
          <p>The hash and digest of this object and of all below it, computed anew.</p>
        ) : report.data.ok ? (
          <p className="text-completed">
            {plural(report.data.nodes, 'object')}, {formatBytes(report.data.bytes)}: all fit.
          </p>
        ) : (
          <ul className="grid gap-1">
            {report.data.findings.map((finding) => (
              <li key={`${finding.hash}-${finding.problem}`} className="[overflow-wrap:anywhere] text-failed">
                <Link href={`/cas/${finding.hash}`} className="font-mono hover:underline">
                  {finding.hash}
                </Link>{' '}
                {finding.message}
              </li>
            ))}
          </ul>
        )}
      </div>
    </Panel>
  )
}
