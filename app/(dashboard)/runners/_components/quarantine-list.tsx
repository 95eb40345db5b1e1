'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Biohazard } from 'lucide-react'
import Link from 'next/link'
import { useState } from 'react'
import { useTRPC } from '@/app/_trpc/context'
import { sentenceOf } from '@/app/_trpc/errors'
import { Button } from '@/app/_ui/button'
import { ConfirmDialog } from '@/app/_ui/confirm-dialog'
import { formatCount, plural } from '@/app/_ui/format'
import { HashChip } from '@/app/_ui/hash-chip'
import { Ago } from '@/app/_ui/time'
import type { Quarantine } from '@/server/ops/quarantines'

/** Versions that no runner takes, because they crashed too often. */
export function QuarantineList({ items }: { items: readonly Quarantine[] }) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const [asking, setAsking] = useState<Quarantine | null>(null)
  const lift = useMutation(
    trpc.runner.lift.mutationOptions({
      onSuccess: () => setAsking(null),
      onSettled: () => queryClient.invalidateQueries({ queryKey: trpc.runner.quarantines.queryKey({}) }),
    }),
  )
  return (
    <section
      aria-label="Quarantined versions"
      className="mb-4 rounded-lg border border-danger/40 bg-danger/5 px-4 py-3"
    >
      <h2 className="flex items-center gap-2 font-semibold text-danger">
        <Biohazard aria-hidden className="size-4 shrink-0" />
        Quarantined: no runner takes these versions
      </h2>
      <ul className="mt-2 grid gap-3">
        {items.map((item) => (
          <li
            key={item.bundle}
            data-quarantine={item.bundle}
            className="flex flex-wrap items-start justify-between gap-2"
          >
            <div className="min-w-0">
              <p className="flex flex-wrap items-center gap-x-2">
                {item.workflows.map((name) => (
                  <Link key={name} href={`/workflows/${name}`} className="rounded font-semibold hover:underline">
                    {name}
                  </Link>
                ))}
                <HashChip hash={item.bundle} className="text-sm" />
              </p>
              <p className="[overflow-wrap:anywhere] text-ink-soft">{item.reason}</p>
              <p className="text-sm text-ink-faint">
                crashed {formatCount(item.crashes)} times in a minute, <Ago at={item.at} />;{' '}
                {plural(item.queuedThreads, 'thread')} queued until it is lifted
              </p>
            </div>
            <Button onClick={() => setAsking(item)}>Lift…</Button>
          </li>
        ))}
      </ul>
      {asking !== null && (
        <ConfirmDialog
          title="Lift this quarantine?"
          about={
            <p>
              Runners take {plural(asking.queuedThreads, 'queued thread')} of version{' '}
              <code className="font-mono text-sm">{asking.bundle.slice(0, 7)}</code> again. If it still crashes, it is
              quarantined again.
            </p>
          }
          confirm="Lift"
          look="solid"
          reasonHint="What was done about it; it is kept."
          error={lift.error === null ? null : sentenceOf(lift.error)}
          isBusy={lift.isPending}
          onConfirm={(note) => lift.mutate({ bundle: asking.bundle, ...(note === null ? {} : { note }) })}
          onClose={() => {
            setAsking(null)
            lift.reset()
          }}
        />
      )}
    </section>
  )
}
