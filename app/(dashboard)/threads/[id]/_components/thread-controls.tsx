'use client'

import {
  Ellipsis,
  GitCompareArrows,
  GitFork,
  type LucideIcon,
  OctagonX,
  Pause,
  Play,
  RotateCcw,
  Trash2,
} from 'lucide-react'
import { useState } from 'react'
import { ActionMenu } from '@/app/_ui/action-menu'
import { Button } from '@/app/_ui/button'
import { ConfirmDialog } from '@/app/_ui/confirm-dialog'
import type { ThreadDetail } from '@/server/threads/views'
import { commandsFor, type ThreadCommand } from '../_model/commands'
import type { ThreadCommands } from './use-thread-commands'

const ICONS: Record<Exclude<ThreadCommand, 'remove'>, LucideIcon> = {
  pause: Pause,
  resume: Play,
  kill: OctagonX,
  retry: RotateCcw,
}

/** The commands that a thread takes now. Kill and remove ask first. */
export function ThreadControls(props: { thread: ThreadDetail; commands: ThreadCommands; onFork: () => void }) {
  const { thread, commands, onFork } = props
  const [asking, setAsking] = useState<'kill' | 'remove' | null>(null)
  const offers = commandsFor(thread.status, thread.control)
  const canRemove = offers.some((offer) => offer.command === 'remove')
  const close = () => {
    setAsking(null)
    commands.forget()
  }
  return (
    <>
      {offers.map(({ command, label }) => {
        if (command === 'remove') return null
        const Icon = ICONS[command]
        return (
          <Button
            key={command}
            look={command === 'kill' ? 'danger' : 'outline'}
            disabled={commands.isBusy}
            onClick={() => (command === 'kill' ? setAsking('kill') : commands.send({ command, reason: null }))}
          >
            <Icon aria-hidden />
            {label}
          </Button>
        )
      })}
      <Button onClick={onFork}>
        <GitFork aria-hidden />
        Fork
      </Button>
      <ActionMenu
        trigger={
          <Button size="icon" aria-label="More">
            <Ellipsis aria-hidden />
          </Button>
        }
        actions={[
          {
            key: 'again',
            href: `/workflows/${thread.workflow}/run?from=${thread.id}`,
            label: (
              <>
                <Play aria-hidden /> Run again
              </>
            ),
          },
          {
            key: 'compare',
            href: `/compare?a=${thread.sourceThread ?? thread.id}${thread.sourceThread === null ? '' : `&b=${thread.id}`}`,
            label: (
              <>
                <GitCompareArrows aria-hidden />
                {thread.sourceThread === null ? 'Compare with…' : 'Compare with its source'}
              </>
            ),
          },
          ...(canRemove
            ? [
                {
                  key: 'remove',
                  look: 'danger' as const,
                  onSelect: () => setAsking('remove'),
                  label: (
                    <>
                      <Trash2 aria-hidden /> Remove…
                    </>
                  ),
                },
              ]
            : []),
        ]}
      />
      {asking === 'kill' && (
        <ConfirmDialog
          title="Kill this thread?"
          about={
            <p>
              {thread.status === 'running'
                ? 'The role at work is told to stop, and is ended if it does not. Then the thread ends with return code 137.'
                : 'The thread ends with return code 137. Its children that are not finished are killed too.'}
            </p>
          }
          confirm="Kill"
          reasonHint="Why; it stays in the thread’s history."
          error={commands.error}
          isBusy={commands.isBusy}
          onConfirm={(reason) => commands.send({ command: 'kill', reason }, { onSuccess: () => setAsking(null) })}
          onClose={close}
        />
      )}
      {asking === 'remove' && (
        <ConfirmDialog
          title="Remove this thread?"
          about={
            <p>
              It leaves every list, with its log and its events. What it stored stays until it is collected, and forks
              of it stay whole.
            </p>
          }
          confirm="Remove"
          reasonHint="Why; it is kept with the removal."
          error={commands.error}
          isBusy={commands.isBusy}
          onConfirm={(reason) => commands.send({ command: 'remove', reason }, { onSuccess: () => setAsking(null) })}
          onClose={close}
        />
      )}
    </>
  )
}
