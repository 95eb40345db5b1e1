import {
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleSlash,
  Hourglass,
  LoaderCircle,
  type LucideIcon,
  OctagonX,
  TriangleAlert,
} from 'lucide-react'
import type { ThreadStatus } from '@/server/threads/status'
import { cn } from './cn'

/** Each status has its own shape beside its colour, so that neither sight nor print needs the colour. */
const LOOKS: Record<ThreadStatus, { icon: LucideIcon; color: string; tint: string }> = {
  queued: { icon: CircleDashed, color: 'text-queued', tint: 'bg-queued/10' },
  running: { icon: LoaderCircle, color: 'text-running', tint: 'bg-running/10' },
  paused: { icon: CirclePause, color: 'text-paused', tint: 'bg-paused/10' },
  waiting: { icon: Hourglass, color: 'text-waiting', tint: 'bg-waiting/10' },
  completed: { icon: CircleCheck, color: 'text-completed', tint: 'bg-completed/10' },
  failed: { icon: TriangleAlert, color: 'text-failed', tint: 'bg-failed/10' },
  killed: { icon: OctagonX, color: 'text-killed', tint: 'bg-killed/10' },
  dropped: { icon: CircleSlash, color: 'text-dropped', tint: 'bg-dropped/10' },
}

export function StatusIcon({ status, className }: { status: ThreadStatus; className?: string }) {
  const look = LOOKS[status]
  return (
    <look.icon
      aria-hidden
      className={cn('size-4 shrink-0', look.color, status === 'running' && 'motion-safe:animate-spin', className)}
    />
  )
}

export function StatusBadge({ status, className }: { status: ThreadStatus; className?: string }) {
  const look = LOOKS[status]
  return (
    <span
      data-status={status}
      className={cn(
        'inline-flex h-6 w-fit items-center gap-1.5 rounded-full px-2 text-sm font-medium',
        look.color,
        look.tint,
        className,
      )}
    >
      <StatusIcon status={status} className="size-3.5" />
      {status}
    </span>
  )
}
