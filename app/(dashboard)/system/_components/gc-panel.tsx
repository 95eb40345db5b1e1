'use client'

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type ApiOutputs, useTRPC } from '@/app/_trpc/context'
import { sentenceOf } from '@/app/_trpc/errors'
import { Button } from '@/app/_ui/button'
import { Dialog } from '@/app/_ui/dialog'
import { formatBytes, formatDuration, plural } from '@/app/_ui/format'
import { Ago } from '@/app/_ui/time'

type GcRun = ApiOutputs['cas']['gcRuns']['items'][number]

/** A collection that somebody else began tells this page nothing, so it asks. */
const ASK_AGAIN_MS = 5_000

/** Collections that are shown, newest first. */
const MAX_SHOWN = 10

/** Garbage collection: what would go, what went, and the button. */
export function GcPanel() {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const [isAsking, setIsAsking] = useState(false)
  const runs = useQuery(trpc.cas.gcRuns.queryOptions({}, { refetchInterval: ASK_AGAIN_MS }))
  const collect = useMutation(
    trpc.cas.gc.mutationOptions({
      onSettled: () => queryClient.invalidateQueries({ queryKey: trpc.cas.gcRuns.queryKey({}) }),
    }),
  )
  const items = runs.data?.items ?? []
  const isBusy = collect.isPending || items.some((run) => run.underWay)
  return (
    <section aria-label="Collection" className="min-w-0 rounded-lg border border-line bg-surface">
      <header className="flex min-h-10 flex-wrap items-center justify-between gap-x-3 gap-y-1 border-b border-line px-4 py-1.5">
        <h2 className="text-sm font-semibold">Garbage collection</h2>
        <span className="flex gap-2">
          <Button size="small" disabled={isBusy} onClick={() => collect.mutate({ dryRun: true })}>
            {isBusy ? 'Collecting…' : 'Dry run'}
          </Button>
          <Button size="small" look="danger" disabled={isBusy} onClick={() => setIsAsking(true)}>
            Collect…
          </Button>
        </span>
      </header>
      <div className="p-4">
        <p className="mb-3 text-sm text-ink-soft">
          What no thread, pin, version or open wait reaches any more goes, when it was not touched for a while. Removing
          a thread collects nothing by itself.
        </p>
        {collect.error !== null && (
          <p role="alert" className="mb-3 text-sm whitespace-pre-line text-danger">
            {sentenceOf(collect.error)}
          </p>
        )}
        {runs.error !== null && <p className="text-sm whitespace-pre-line text-danger">{sentenceOf(runs.error)}</p>}
        {items.length === 0 ? (
          runs.isSuccess && <p className="text-sm text-ink-faint">Nothing was collected yet.</p>
        ) : (
          <ul aria-label="Last collections" className="divide-y divide-line text-sm">
            {items.slice(0, MAX_SHOWN).map((run) => (
              <RunRow key={run.id} run={run} />
            ))}
          </ul>
        )}
      </div>
      {isAsking && (
        <Dialog
          open
          onOpenChange={setIsAsking}
          title="Collect now?"
          about={
            <p>What is collected is gone for good. A dry run says before how much that is. Running threads go on.</p>
          }
        >
          <div className="flex justify-end gap-2">
            <Button onClick={() => setIsAsking(false)}>Cancel</Button>
            <Button
              look="danger"
              disabled={isBusy}
              onClick={() => {
                setIsAsking(false)
                collect.mutate({ dryRun: false })
              }}
            >
              Collect
            </Button>
          </div>
        </Dialog>
      )}
    </section>
  )
}

function RunRow({ run }: { run: GcRun }) {
  const went = `${plural(run.objects, 'object')}, ${formatBytes(run.bytes)}`
  return (
    <li data-gc={run.phase} className="flex flex-wrap justify-between gap-x-4 py-1.5 tabular-nums">
      <span>
        {run.underWay
          ? `${run.phase}: ${plural(run.marked, 'object')} looked at`
          : run.phase === 'abandoned'
            ? 'given up before its end'
            : run.dryRun
              ? `${went} would go`
              : `${went} collected`}
        {!run.underWay && <span className="text-ink-faint">, {plural(run.marked, 'object')} kept</span>}
      </span>
      <span className="text-ink-faint">
        <Ago at={run.startedAt} /> by {run.actor}
        {run.finishedAt !== null && `, in ${formatDuration(Date.parse(run.finishedAt) - Date.parse(run.startedAt))}`}
      </span>
    </li>
  )
}
