'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Footprints } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { progressOf } from '@/app/_graph/progress'
import { WorkflowGraph } from '@/app/_graph/workflow-graph'
import { useTRPC } from '@/app/_trpc/context'
import { EmptyState } from '@/app/_ui/empty-state'
import { formatCount } from '@/app/_ui/format'
import { Panel } from '@/app/_ui/panel'
import { Skeleton } from '@/app/_ui/skeleton'
import { Tabs, TabsContent, TabsList, TabsTrigger } from '@/app/_ui/tabs'
import type { ThreadRecord } from '@/server/threads/records'
import type { ThreadStatus } from '@/server/threads/status'
import type { ThreadDetail } from '@/server/threads/views'
import type { ForkPoint } from '../_model/fork-request'
import { heightOf } from '../_model/thread-log'
import { CallStackPanel } from './call-stack-panel'
import { CommandNotice } from './command-notice'
import { ForksPanel } from './forks-panel'
import { InputsPanel } from './inputs-panel'
import { StepList } from './step-list'
import { ThreadFacts } from './thread-facts'
import { ThreadHeader } from './thread-header'
import { ThreadLogs } from './thread-logs'
import { ThreadPrompt } from './thread-prompt'
import { ThreadState } from './thread-state'
import { ThreadTimeline } from './thread-timeline'
import { useStepTarget } from './use-step-target'
import { useThreadCommands } from './use-thread-commands'
import { useThreadLog } from './use-thread-log'
import { useVerification } from './use-verification'
import { VerifyPanel } from './verify-panel'

const ForkDialog = dynamic(() => import('./fork-dialog'), { ssr: false })

/** Why a thread stays queued changes without an event of it. */
const ASK_QUEUED_MS = 3_000

type ThreadViewProps = { initial: ThreadDetail; first: readonly ThreadRecord[] }

/** A thread as it runs. `first` are the records that came with the page; the rest arrives live. */
export function ThreadView({ initial, first }: ThreadViewProps) {
  const { id, bundle } = initial
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const { log, connection, readOn } = useThreadLog(id, first)
  const { data: thread } = useQuery(
    trpc.thread.get.queryOptions(
      { id },
      {
        initialData: initial,
        refetchInterval: ({ state }) => (state.data?.status === 'queued' ? ASK_QUEUED_MS : false),
      },
    ),
  )
  const commands = useThreadCommands(id)
  const descriptor = useQuery(
    trpc.workflow.descriptor.queryOptions({ hash: bundle }, { staleTime: Number.POSITIVE_INFINITY }),
  )
  const { verification, verify } = useVerification(id, log)
  const status = log.status ?? thread.status
  const progress = useMemo(
    () =>
      progressOf(
        log.steps.map((step) => step.role),
        status,
        log.end?.returnCode ?? null,
      ),
    [log, status],
  )

  // It went on after the end that is known here: somebody retried it.
  const wentOn = log.end !== null && thread.height > heightOf(log)
  useEffect(() => {
    if (wentOn) readOn()
  }, [wentOn, readOn])

  // Runner, waits, children and times are no records: read them again when the lifecycle moved.
  const changes = log.timeline.length - log.steps.length
  const known = useRef(changes)
  useEffect(() => {
    if (known.current === changes) return
    known.current = changes
    for (const read of ['get', 'inputs', 'callStack', 'forks'] as const) {
      void queryClient.invalidateQueries({ queryKey: trpc.thread[read].queryKey({ id }) })
    }
  }, [changes, id, queryClient, trpc])

  const [tab, setTab] = useState('steps')
  const [role, setRole] = useState<string | null>(null)
  const [target, point] = useStepTarget()
  const [forkPoint, setForkPoint] = useState<ForkPoint | null>(null)
  const graphPanel = useRef<HTMLDivElement>(null)
  const showRole = useCallback((name: string) => {
    setRole(name)
    graphPanel.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  const showNewest = (name: string) => {
    setRole(name)
    const newest = log.steps.findLast((step) => step.role === name)
    if (newest === undefined) return
    setTab('steps')
    point(newest.step)
  }
  useEffect(() => {
    if (target !== null) setTab('steps')
  }, [target])

  return (
    <>
      <ThreadHeader
        thread={thread}
        log={log}
        connection={connection}
        verification={verification}
        commands={commands}
        onFork={() => setForkPoint({ keep: Math.max(0, log.steps.length - 1), inject: null })}
      />
      <div className="grid gap-x-6 lg:grid-cols-[minmax(0,1fr)_24rem] lg:grid-rows-[auto_1fr] xl:grid-cols-[minmax(0,1fr)_28rem]">
        <div className="min-w-0">
          <CommandNotice thread={thread} commands={commands} />
          <ThreadState thread={thread} log={log} />
        </div>
        <div className="order-2 min-w-0 lg:order-none lg:col-start-1">
          <ThreadPrompt prompt={thread.prompt} />
          <Tabs value={tab} onValueChange={setTab}>
            <TabsList aria-label="Views of the thread">
              <TabsTrigger value="steps">Steps {formatCount(log.steps.length)}</TabsTrigger>
              <TabsTrigger value="timeline">Timeline</TabsTrigger>
              <TabsTrigger value="log">Log {formatCount(log.logs.length)}</TabsTrigger>
            </TabsList>
            <TabsContent value="steps">
              {log.steps.length === 0 ? (
                <NoSteps status={status} />
              ) : (
                <StepList
                  threadId={id}
                  steps={log.steps}
                  isLive={connection !== 'over'}
                  target={target}
                  onRole={showRole}
                  onFork={setForkPoint}
                />
              )}
            </TabsContent>
            <TabsContent value="timeline">
              <ThreadTimeline timeline={log.timeline} />
            </TabsContent>
            <TabsContent value="log">
              <ThreadLogs threadId={id} heard={log.logs} />
            </TabsContent>
          </Tabs>
        </div>
        {/* On a phone the graph stands above the steps, below what is asked of the reader, and the rest below the steps. */}
        <aside className="contents min-w-0 content-start gap-4 lg:sticky lg:top-6 lg:col-start-2 lg:row-span-2 lg:row-start-1 lg:grid lg:self-start lg:max-h-[calc(100dvh-3rem)] lg:overflow-y-auto">
          <div ref={graphPanel} className="order-1 mb-4 min-w-0 lg:order-none lg:mb-0">
            <Panel title="Graph" bodyClassName="h-72 p-0 lg:h-[24rem]">
              {descriptor.data === undefined ? (
                <Skeleton className="size-full rounded-none" />
              ) : (
                <WorkflowGraph
                  descriptor={descriptor.data.descriptor}
                  progress={progress}
                  chosen={role}
                  onRole={showNewest}
                />
              )}
            </Panel>
          </div>
          <div className="order-3 mt-6 grid min-w-0 gap-4 lg:order-none lg:mt-0">
            <CallStackPanel thread={thread} />
            <ForksPanel threadId={id} />
            <InputsPanel threadId={id} />
            <VerifyPanel verification={verification} onVerify={verify} />
            <ThreadFacts thread={thread} log={log} />
          </div>
        </aside>
      </div>
      {forkPoint !== null && descriptor.data !== undefined && (
        <ForkDialog
          thread={{ ...thread, steps: Math.max(log.steps.length, thread.steps) }}
          point={forkPoint}
          descriptor={descriptor.data.descriptor}
          onClose={() => setForkPoint(null)}
        />
      )}
    </>
  )
}

const NO_STEPS: Partial<Record<ThreadStatus, string>> = {
  queued: 'It has no steps yet: it waits for a runner',
  running: 'The first role is at work',
  paused: 'It was paused before its first step',
  waiting: 'Its first role waits',
  dropped: 'It was refused before it ran',
}

function NoSteps({ status }: { status: ThreadStatus }) {
  return (
    <EmptyState icon={Footprints} title={NO_STEPS[status] ?? 'It ended before its first step'}>
      {status === 'running' && <p>Its step appears here.</p>}
    </EmptyState>
  )
}
