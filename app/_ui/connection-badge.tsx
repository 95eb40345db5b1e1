import { CircleCheckBig, RefreshCw, Unplug } from 'lucide-react'
import type { Connection } from '@/app/_trpc/live-subscription'
import { cn } from './cn'

const LOOKS: Record<Connection, { text: string; hint: string; style: string }> = {
  connecting: { text: 'Connecting', hint: 'Opening the live connection.', style: 'text-ink-faint' },
  live: { text: 'Live', hint: 'Changes arrive as they happen.', style: 'text-completed' },
  reconnecting: {
    text: 'Reconnecting…',
    hint: 'The connection was lost. It goes on where it stopped, nothing is missed.',
    style: 'text-paused',
  },
  over: { text: 'Complete', hint: 'The thread is over; nothing more will come.', style: 'text-ink-faint' },
  gone: { text: 'Removed', hint: 'What this page shows does not exist any more.', style: 'text-failed' },
  refused: {
    text: 'Signed out',
    hint: 'The session is over. Run `npx cairn open` and reload.',
    style: 'text-failed',
  },
}

/** The state of the live connection, in a region that screen readers follow. */
export function ConnectionBadge({ connection }: { connection: Connection }) {
  const look = LOOKS[connection]
  return (
    <span
      role="status"
      data-connection={connection}
      title={look.hint}
      className={cn('inline-flex items-center gap-1.5 text-sm', look.style)}
    >
      {connection === 'live' && <span aria-hidden className="size-2 rounded-full bg-completed" />}
      {connection === 'over' && <CircleCheckBig aria-hidden className="size-3.5" />}
      {(connection === 'refused' || connection === 'gone') && <Unplug aria-hidden className="size-3.5" />}
      {(connection === 'reconnecting' || connection === 'connecting') && (
        <RefreshCw aria-hidden className="size-3.5 motion-safe:animate-spin" />
      )}
      {look.text}
    </span>
  )
}
