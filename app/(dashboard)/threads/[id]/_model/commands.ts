import { isFinished, type ThreadStatus } from '@/server/threads/status'

export type ThreadCommand = 'pause' | 'resume' | 'kill' | 'retry' | 'remove'
type Control = 'pause' | 'kill' | null

/** The commands that have an effect now, with what their button says. The server decides; this only spares useless buttons. */
export function commandsFor(status: ThreadStatus, control: Control): { command: ThreadCommand; label: string }[] {
  const offers: Record<ThreadCommand, string | null> = {
    pause:
      ((status === 'queued' || status === 'waiting' || (status === 'running' && control === null)) && 'Pause') || null,
    resume: status === 'paused' ? 'Resume' : status === 'running' && control === 'pause' ? 'Take the pause back' : null,
    kill: isFinished(status) || control === 'kill' ? null : 'Kill',
    retry: status === 'failed' || status === 'killed' ? 'Retry' : null,
    remove: status === 'running' ? null : 'Remove',
  }
  return Object.entries(offers).flatMap(([command, label]) =>
    // The entries of a record with these keys.
    label === null ? [] : [{ command: command as ThreadCommand, label }],
  )
}

/** A command that this page sent and the server took. */
export type Sent = { command: Exclude<ThreadCommand, 'remove'>; effect: 'requested' | 'done' }

/** What came of a command, and what the thread was then. */
export type Settled = { sent: Sent; text: string; status: ThreadStatus }

/** Whether what came of a command is still so: the thread may have gone on since. */
export function isCurrent({ sent, status: then }: Settled, now: ThreadStatus): boolean {
  const goesOn = sent.command === 'resume' || sent.command === 'retry'
  return now === then || (goesOn && (now === 'queued' || now === 'running'))
}

/** What has come of a command, by what the thread is now. Null while it is still asked of the thread: see `control`. */
export function effectOf(sent: Sent, status: ThreadStatus, control: Control): string | null {
  if (sent.command === 'retry') return 'Retried: it goes on after its last step.'
  if (sent.command === 'resume') return status === 'paused' ? null : 'Resumed: it goes on where it stopped.'
  const wanted = sent.command === 'pause' ? 'paused' : 'killed'
  if (status === wanted) return `Done: the thread is ${wanted}.`
  if (isFinished(status)) return `It was ${status} before it could be ${wanted}.`
  if (sent.effect === 'done' || control === sent.command) return null
  return sent.command === 'pause' && status === 'running' ? 'The pause was taken back.' : null
}
