'use client'

import { CircleCheck, Hourglass } from 'lucide-react'
import { useState } from 'react'
import type { ThreadDetail } from '@/server/threads/views'
import { effectOf, isCurrent, type Settled } from '../_model/commands'
import type { ThreadCommands } from './use-thread-commands'

const ASKED = {
  pause: 'It stops when the role that is at work is done.',
  kill: 'The role at work is being stopped.',
} as const

/** What is asked of the thread and by whom, until it is done; then what came of the command that this page sent. */
export function CommandNotice({ thread, commands }: { thread: ThreadDetail; commands: ThreadCommands }) {
  const { control, controlActor, controlReason } = thread
  const { sent } = commands
  const [settled, setSettled] = useState<Settled | null>(null)
  const effect = sent === null ? null : effectOf(sent, thread.status, control)
  // Kept as it was when it came about: what happens to the thread later is no effect of this command.
  if (sent !== null && effect !== null && settled?.sent !== sent) {
    setSettled({ sent, text: effect, status: thread.status })
  }
  const isShown = settled !== null && settled.sent === sent && isCurrent(settled, thread.status)
  return (
    <>
      <div role="status">
        {control !== null ? (
          <p
            data-effect="requested"
            data-control={control}
            className="mb-4 flex gap-2 rounded-lg border border-paused/40 bg-paused/5 px-4 py-2.5"
          >
            <Hourglass aria-hidden className="mt-0.75 size-4 shrink-0 text-paused" />
            <span className="min-w-0 [overflow-wrap:anywhere]">
              <strong className="font-semibold capitalize">{control}</strong> requested by {controlActor ?? 'somebody'}
              {controlReason !== null && <>: {controlReason}</>}. {ASKED[control]}
            </span>
          </p>
        ) : (
          isShown && (
            <p data-effect="done" className="mb-4 flex gap-2 rounded-lg border border-line bg-surface px-4 py-2.5">
              <CircleCheck aria-hidden className="mt-0.75 size-4 shrink-0 text-completed" />
              {settled.text}
            </p>
          )
        )}
      </div>
      {commands.error !== null && (
        <p
          role="alert"
          className="mb-4 rounded-lg border border-danger/40 bg-danger/5 px-4 py-2.5 whitespace-pre-line text-danger"
        >
          {commands.error}
        </p>
      )}
    </>
  )
}
