'use client'

import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '@/app/_trpc/context'
import { JsonTree } from '@/app/_ui/json-tree'
import { Panel } from '@/app/_ui/panel'
import { Ago } from '@/app/_ui/time'

/** Every input that was given to the thread, also those that no wait has taken yet; nothing when there is none. */
export function InputsPanel({ threadId }: { threadId: string }) {
  const trpc = useTRPC()
  const inputs = useQuery(trpc.thread.inputs.queryOptions({ id: threadId }))
  const items = inputs.data?.items ?? []
  if (items.length === 0) return null
  return (
    <Panel title="Inputs" bodyClassName="p-0">
      <ol aria-label="Inputs" className="divide-y divide-line">
        {items.map((input) => (
          <li key={input.seq} className="px-4 py-2 text-sm">
            <p className="flex flex-wrap gap-x-2">
              <span className="font-medium">{input.name}</span>
              <span className={input.rejected === null ? 'text-ink-soft' : 'text-failed'}>
                {input.rejected !== null
                  ? `refused: ${input.rejected}`
                  : input.wait === null
                    ? 'kept for a wait that has not come yet'
                    : 'answered a wait'}
              </span>
            </p>
            <p className="text-ink-faint">
              <Ago at={input.at} /> by {input.actor}
            </p>
            <JsonTree value={input.value} name="value" />
          </li>
        ))}
      </ol>
    </Panel>
  )
}
