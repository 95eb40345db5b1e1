/** The status machine's names. Pure: imported by the schema, the API and the pages. */

export const THREAD_STATUSES = [
  'queued',
  'running',
  'paused',
  'waiting',
  'completed',
  'failed',
  'killed',
  'dropped',
] as const
export type ThreadStatus = (typeof THREAD_STATUSES)[number]

export const FINISHED_STATUSES = ['completed', 'failed', 'killed', 'dropped'] as const
export type FinishedStatus = (typeof FINISHED_STATUSES)[number]

export function isFinished(status: ThreadStatus): status is FinishedStatus {
  return (FINISHED_STATUSES as readonly string[]).includes(status)
}

export const THREAD_EVENT_TYPES = [
  'queued',
  'claimed',
  /** Given back by a runner that stopped cleanly, or whose worker was ended because of another thread. */
  'released',
  'crashed',
  'lease_expired',
  /** Asked of a running thread; `paused` or `killed` says that it is done. */
  'pause_requested',
  'pause_cancelled',
  'kill_requested',
  'paused',
  'resumed',
  'waiting',
  /** Somebody gave an input, for the open wait or for a later one. */
  'input',
  'input_rejected',
  'woken',
  'killed',
  'retried',
  'forked',
  'finished',
  /** Refused by the overflow policy of its workflow. */
  'dropped',
  'removed',
] as const

/** From the least to the gravest. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Why a queued thread is not running: the first condition of its claim that does not hold; `next`: none. */
export const QUEUED_CODES = [
  'next',
  'delayed',
  'concurrency',
  'quarantined',
  'labels',
  'permissions',
  'capacity',
  'no-runner',
] as const

/** What the end node's `returnCode` means. */
export const EXIT = { success: 0, failed: 1, deadline: 124, killed: 137, gaveUp: 255 } as const

/** The status that an end node with this return code gives: 137 is killed, 0 completed, all else failed. */
export function statusOf(returnCode: number): FinishedStatus {
  if (returnCode === EXIT.success) return 'completed'
  return returnCode === EXIT.killed ? 'killed' : 'failed'
}
