'use client'

import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { History, ListTree, Play } from 'lucide-react'
import Link from 'next/link'
import { useState } from 'react'
import { WorkflowGraph } from '@/app/_graph/workflow-graph'
import { useTRPC } from '@/app/_trpc/context'
import { Button } from '@/app/_ui/button'
import { HashChip } from '@/app/_ui/hash-chip'
import { PageHeader } from '@/app/_ui/page-header'
import { Panel } from '@/app/_ui/panel'
import { Ago } from '@/app/_ui/time'
import { LimitsPanel } from './limits-panel'
import { MissingGrants } from './missing-grants'
import { PermissionsPanel } from './permissions-panel'
import { RoleList } from './role-list'
import { SourcePanel } from './source-panel'
import { VersionTimeline } from './version-timeline'

/** `version` is the hash of a bundle to look at; null looks at the current one. */
export function WorkflowView({ name, version }: { name: string; version: string | null }) {
  const trpc = useTRPC()
  const { data: workflow } = useSuspenseQuery(trpc.workflow.get.queryOptions({ name }))
  const isOld = version !== null && version !== workflow.current
  const old = useQuery(trpc.workflow.descriptor.queryOptions({ hash: version ?? workflow.current }, { enabled: isOld }))
  const descriptor = isOld ? old.data?.descriptor : workflow.descriptor
  const shown = isOld ? version : workflow.current
  const [role, setRole] = useState<string | null>(null)

  return (
    <>
      <PageHeader
        trail={[{ href: '/workflows', label: 'Workflows' }]}
        title={name}
        about={
          <>
            <p>{descriptor?.description}</p>
            <p className="mt-1 flex flex-wrap items-center gap-x-3 text-sm text-ink-faint">
              <span className="inline-flex items-center gap-1">
                {isOld ? 'version' : 'current version'} <HashChip hash={shown} />
              </span>
              <span>
                changed <Ago at={workflow.updatedAt} />
              </span>
              {workflow.state === 'removed' && <span className="text-dropped">removed</span>}
            </p>
          </>
        }
        actions={
          <>
            <Button asChild>
              <Link href={`/threads?workflow=${name}`}>
                <ListTree aria-hidden />
                Threads
              </Link>
            </Button>
            <Button asChild look="solid">
              <Link href={`/workflows/${name}/run`}>
                <Play aria-hidden />
                Run
              </Link>
            </Button>
          </>
        }
      />
      {isOld && (
        <p className="mb-4 flex flex-wrap items-center gap-2 rounded-lg border border-line bg-raised px-4 py-2 text-sm">
          <History aria-hidden className="size-4 text-ink-faint" />
          You look at an earlier version.
          <Link href={`/workflows/${name}`} className="text-accent hover:underline">
            Show the current one
          </Link>
        </p>
      )}
      <div className="mb-4 empty:hidden">
        <MissingGrants workflow={workflow} />
      </div>
      <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_24rem]">
        <div className="grid min-w-0 content-start gap-4">
          <Panel title="Graph" bodyClassName="h-80 p-0 md:h-[28rem]">
            {descriptor !== undefined && (
              <WorkflowGraph descriptor={descriptor} progress={null} chosen={role} onRole={setRole} />
            )}
          </Panel>
          {descriptor !== undefined && <RoleList descriptor={descriptor} chosen={role} />}
          <SourcePanel hash={shown} />
        </div>
        <div className="grid min-w-0 content-start gap-4">
          <VersionTimeline workflow={workflow} />
          <LimitsPanel workflow={workflow} />
          <PermissionsPanel workflow={workflow} />
        </div>
      </div>
    </>
  )
}
