'use client'

import { ArrowDown } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button } from '@/app/_ui/button'
import { formatCount } from '@/app/_ui/format'
import { WindowList, type WindowListHandle } from '@/app/_ui/window-list'
import type { StepRecord } from '@/server/threads/records'
import type { ForkPoint } from '../_model/fork-request'
import { useFollowEnd } from './follow-end'
import { StepCard } from './step-card'

type StepListProps = {
  threadId: string
  steps: readonly StepRecord[]
  isLive: boolean
  target: number | null
  onRole: (role: string) => void
  onFork: (point: ForkPoint) => void
}

/** Steps in the order they were done; goes to the target step as soon as it is there. */
export function StepList({ threadId, steps, isLive, target, onRole, onFork }: StepListProps) {
  const list = useRef<WindowListHandle>(null)
  const [height, setHeight] = useState(0)
  const { unseen, toEnd } = useFollowEnd({ enabled: isLive, count: steps.length, height })
  const index = target === null ? -1 : steps.findIndex((step) => step.step === target)
  useEffect(() => {
    if (index >= 0) list.current?.scrollToIndex(index)
  }, [index])

  return (
    <>
      <WindowList
        ref={list}
        label="Steps"
        items={steps}
        keyOf={(step) => step.hash}
        estimate={(step) => Math.min(560, 150 + step.content.length / 6)}
        gap={12}
        onHeight={setHeight}
        render={(step) => (
          <StepCard threadId={threadId} step={step} isTarget={step.step === target} onRole={onRole} onFork={onFork} />
        )}
      />
      {unseen > 0 && (
        <Button
          look="solid"
          onClick={toEnd}
          className="fixed bottom-20 left-1/2 z-10 -translate-x-1/2 rounded-full shadow-overlay md:bottom-6"
        >
          <ArrowDown aria-hidden />
          {formatCount(unseen)} new
        </Button>
      )}
    </>
  )
}
