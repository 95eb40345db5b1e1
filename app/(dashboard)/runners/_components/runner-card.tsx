'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ArrowDownToLine, CircleCheck, CircleSlash, type LucideIcon, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTRPC } from '@/app/_trpc/context'
import { sentenceOf } from '@/app/_trpc/errors'
import { Button } from '@/app/_ui/button'
import { cn } from '@/app/_ui/cn'
import { formatCount } from '@/app/_ui/format'
import { Facts, Panel } from '@/app/_ui/panel'
import { Tag } from '@/app/_ui/tag'
import { Ago } from '@/app/_ui/time'
import type { RunnerView } from '@/server/ops/runners'

/** One runner: what it holds, what it may take, and whether it takes more. */
export function RunnerCard({ runner }: { runner: RunnerView }) {
  const share = runner.capacity === 0 ? 0 : Math.min(1, runner.active / runner.capacity)
  return (
    <Panel
      title={
        <span className="[overflow-wrap:anywhere]">
          {runner.host} <span className="font-normal text-ink-faint">pid {runner.pid}</span>
        </span>
      }
      aside={<RunnerState runner={runner} />}
    >
      <div className="mb-3">
        <p className="mb-1 flex justify-between text-sm tabular-nums">
          <span>
            {formatCount(runner.active)} of {formatCount(runner.capacity)} threads
          </span>
          <span className="text-ink-faint">{Math.round(share * 100)} %</span>
        </p>
        <div className="h-1.5 overflow-hidden rounded-full bg-raised" aria-hidden>
          <div className="h-full rounded-full bg-running" style={{ width: `${share * 100}%` }} />
        </div>
      </div>
      <Facts
        rows={[
          ['Heartbeat', <Ago key="heartbeat" at={runner.heartbeatAt} />],
          ['Started', <Ago key="started" at={runner.startedAt} />],
          ['Version', `${runner.version}, Node ${runner.nodeVersion.replace(/^v/, '')}`],
          ['Labels', tagsOr(runner.labels, 'none')],
          ['May give', runner.permissions === null ? 'all permissions' : tagsOr(runner.permissions, 'no permissions')],
          ['Sandbox', runner.sandbox.length === 0 ? 'none' : runner.sandbox.join(', ')],
          ['Stale writes refused', formatCount(runner.staleWrites)],
        ]}
      />
      {runner.alive && <Drain runner={runner} />}
    </Panel>
  )
}

/** Asks the runner to take nothing more, or to go on. */
function Drain({ runner }: { runner: RunnerView }) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const drain = useMutation(
    trpc.runner.drain.mutationOptions({
      onSettled: () => queryClient.invalidateQueries({ queryKey: trpc.runner.list.queryKey({}) }),
    }),
  )
  return (
    <div className="mt-3 border-t border-line pt-3">
      {runner.draining && (
        <p className="mb-2 text-sm text-paused">
          Drained by {runner.drainedBy ?? 'somebody'}: it takes nothing more.{' '}
          {runner.active > 0
            ? `${formatCount(runner.active)} of its threads go on to their end.`
            : 'It holds nothing and can be stopped.'}
        </p>
      )}
      <Button
        size="small"
        disabled={drain.isPending}
        onClick={() => drain.mutate({ id: runner.id, on: !runner.draining })}
      >
        {runner.draining ? 'Let it take threads again' : 'Drain'}
      </Button>
      {drain.error !== null && (
        <p role="alert" className="mt-2 text-sm whitespace-pre-line text-danger">
          {sentenceOf(drain.error)}
        </p>
      )}
    </div>
  )
}

function tagsOr(names: readonly string[], none: string): ReactNode {
  if (names.length === 0) return none
  return (
    <span key="tags" className="flex flex-wrap gap-1">
      {names.map((name) => (
        <Tag key={name} name={name} />
      ))}
    </span>
  )
}

type Look = { state: string; icon: LucideIcon; color: string }

function lookOf(runner: RunnerView): Look {
  if (runner.alive) {
    return runner.draining
      ? { state: 'draining', icon: ArrowDownToLine, color: 'text-paused' }
      : { state: 'alive', icon: CircleCheck, color: 'text-completed' }
  }
  return runner.stoppedAt !== null
    ? { state: 'stopped', icon: CircleSlash, color: 'text-dropped' }
    : { state: 'not heard of', icon: TriangleAlert, color: 'text-failed' }
}

function RunnerState({ runner }: { runner: RunnerView }) {
  const look = lookOf(runner)
  return (
    <span data-runner-state={look.state} className={cn('inline-flex items-center gap-1 text-sm', look.color)}>
      <look.icon aria-hidden className="size-4" /> {look.state}
    </span>
  )
}
