'use client'

import { useSuspenseQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import Link from 'next/link'
import { useTRPC } from '@/app/_trpc/context'
import { Button } from '@/app/_ui/button'
import { CopyButton } from '@/app/_ui/copy-button'
import { formatBytes } from '@/app/_ui/format'
import { JsonTree } from '@/app/_ui/json-tree'
import { PageHeader } from '@/app/_ui/page-header'
import { Facts, Panel } from '@/app/_ui/panel'
import { ClockTime } from '@/app/_ui/time'
import { jsonOf } from '../_model/json-of'
import { VerifyTree } from './verify-tree'

/** One stored object: its text, what it refers to and what refers to it. */
export function ObjectView({ hash }: { hash: string }) {
  const trpc = useTRPC()
  const { data: object } = useSuspenseQuery(
    trpc.cas.get.queryOptions({ hash }, { staleTime: Number.POSITIVE_INFINITY }),
  )
  const { data: refs } = useSuspenseQuery(trpc.cas.refs.queryOptions({ hash }))
  const json = object.body === null ? undefined : jsonOf(object.body)
  return (
    <>
      <PageHeader
        title={
          <span className="flex items-center gap-1">
            <span className="font-mono">{hash}</span>
            <CopyButton text={hash} label="hash" />
          </span>
        }
        about={`${object.type} · ${formatBytes(object.size)}`}
        actions={
          object.base64 !== null && (
            <Button asChild>
              <a
                href={`data:${object.mediaType ?? 'application/octet-stream'};base64,${object.base64}`}
                download={hash}
              >
                <Download aria-hidden />
                Download
              </a>
            </Button>
          )
        }
      />
      <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_24rem]">
        <div className="grid min-w-0 content-start gap-4">
          {json !== undefined && (
            <Panel title="What it says">
              <JsonTree value={json} name={object.type} openTo={3} />
            </Panel>
          )}
          {object.body !== null && (
            <Panel title="Stored text" aside={<CopyButton text={object.body} label="stored text" />}>
              <pre className="font-mono text-xs leading-5 [overflow-wrap:anywhere] whitespace-pre-wrap">
                {object.body}
              </pre>
            </Panel>
          )}
        </div>
        <div className="grid min-w-0 content-start gap-4">
          <Panel title="Facts">
            <Facts
              rows={[
                ['Type', object.type],
                ['Size', formatBytes(object.size)],
                ...(object.mediaType === null ? [] : [['Media type', object.mediaType] as [string, string]]),
                ['Stored', <ClockTime key="stored" at={object.createdAt} withDate />],
                [
                  'Digest',
                  <span key="digest" className="font-mono text-xs">
                    {object.digest}
                  </span>,
                ],
              ]}
            />
          </Panel>
          <VerifyTree hash={hash} />
          <RefList title="Refers to" refs={refs.out} none="It refers to nothing." />
          <RefList title="Referred to by" refs={refs.in} none="Nothing refers to it." />
        </div>
      </div>
    </>
  )
}

function RefList(props: { title: string; refs: { hash: string; type: string }[]; none: string }) {
  return (
    <Panel title={props.title}>
      {props.refs.length === 0 ? (
        <p className="text-sm text-ink-faint">{props.none}</p>
      ) : (
        <ul aria-label={props.title} className="grid gap-1 text-sm">
          {props.refs.map((ref) => (
            <li key={ref.hash} className="flex items-center gap-2">
              <span className="w-16 text-ink-faint">{ref.type}</span>
              <Link href={`/cas/${ref.hash}`} className="rounded font-mono text-accent hover:underline">
                {ref.hash}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}
