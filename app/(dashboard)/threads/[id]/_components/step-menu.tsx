'use client'

import { Ellipsis, GitFork, PencilLine, RotateCcw } from 'lucide-react'
import { ActionMenu } from '@/app/_ui/action-menu'
import { Button } from '@/app/_ui/button'
import type { StepRecord } from '@/server/threads/records'
import type { ForkPoint } from '../_model/fork-request'

/** What can be done from a step: go on after it in another way, do it anew, or with another result. */
export function StepMenu({ step, onFork }: { step: StepRecord; onFork: (point: ForkPoint) => void }) {
  const { role, content, meta } = step
  return (
    <ActionMenu
      trigger={
        <Button look="quiet" size="iconSmall" aria-label={`Fork at step ${step.step}`}>
          <Ellipsis aria-hidden />
        </Button>
      }
      actions={[
        {
          key: 'after',
          onSelect: () => onFork({ keep: step.step, inject: null }),
          label: (
            <>
              <GitFork aria-hidden /> Fork after this step…
            </>
          ),
        },
        {
          key: 'anew',
          onSelect: () => onFork({ keep: step.step - 1, inject: null }),
          label: (
            <>
              <RotateCcw aria-hidden /> Fork to do it anew…
            </>
          ),
        },
        {
          key: 'replace',
          onSelect: () => onFork({ keep: step.step - 1, inject: { role, content, meta } }),
          label: (
            <>
              <PencilLine aria-hidden /> Fork with another result…
            </>
          ),
        },
      ]}
    />
  )
}
