import type { Queryable } from '@/db/client'
import { type QueuedThread, type QueueState, READ_AHEAD, readQueueState } from '@/db/queries/threads/read-queue-state'
import { RUNNER_ALIVE_SECONDS } from '@/server/kernel/runner-alive'
import type { QUEUED_CODES, ThreadStatus } from './status'

export type QueuedReason = {
  code: (typeof QUEUED_CODES)[number]
  /** A sentence: why it stays queued, and what would change that. */
  message: string
}

type Waiting = QueuedThread & { status: ThreadStatus; labels: readonly string[]; permissions: readonly string[] }

/** Why a queued thread is not running yet; null when it is not queued. */
export async function queuedReason(db: Queryable, thread: Waiting): Promise<QueuedReason | null> {
  if (thread.status !== 'queued') return null
  return explainQueued(thread, await readQueueState(db, thread, RUNNER_ALIVE_SECONDS))
}

/** The first of the conditions of the claim that does not hold. Pure. */
export function explainQueued(
  thread: Pick<Waiting, 'workflow' | 'labels' | 'permissions' | 'availableAt' | 'bundle'>,
  state: QueueState,
): QueuedReason {
  if (state.quarantinedAt !== null) {
    return {
      code: 'quarantined',
      message: `Its version ${thread.bundle} is in quarantine since ${state.quarantinedAt.toISOString()}, because it crashed too often (${state.quarantineReason}). An admin lifts it.`,
    }
  }
  if (state.runners.length === 0) {
    return {
      code: 'no-runner',
      message:
        state.draining > 0
          ? 'Every runner that lives is draining: it claims nothing more. Start another one, or end the drain.'
          : 'No runner lives. Start one.',
    }
  }
  const labelled = state.runners.filter((runner) => hasAll(runner.labels, thread.labels))
  if (labelled.length === 0) {
    return { code: 'labels', message: `No runner that lives has ${named('label', thread.labels)}. Start one with it.` }
  }
  const permitted = labelled.filter(
    (runner) => runner.permissions === null || hasAll(runner.permissions, thread.permissions),
  )
  if (permitted.length === 0) {
    const who =
      thread.labels.length > 0 ? `No runner that lives with ${named('label', thread.labels)}` : 'No runner that lives'
    return {
      code: 'permissions',
      message: `${who} may give ${named('permission', thread.permissions)}. Start one that may.`,
    }
  }
  if (state.delayMs > 0) {
    return {
      code: 'delayed',
      message: `It goes on at ${thread.availableAt.toISOString()}: it is held back after a crash.`,
    }
  }
  if (state.concurrency !== null && state.running >= state.concurrency) {
    return {
      code: 'concurrency',
      message: `${state.running} of at most ${state.concurrency} threads of ${thread.workflow} run (its limit concurrency).`,
    }
  }
  if (permitted.every((runner) => runner.held >= runner.capacity)) {
    const capacity = permitted.reduce((sum, runner) => sum + runner.capacity, 0)
    return {
      code: 'capacity',
      message: `${permitted.length === 1 ? 'The runner' : `All ${permitted.length} runners`} that may take it run as many threads as they can (${capacity}).`,
    }
  }
  if (state.ahead === 0) return { code: 'next', message: 'It is the next one to be claimed.' }
  const ahead =
    state.ahead === READ_AHEAD
      ? `${READ_AHEAD} or more threads are`
      : state.ahead === 1
        ? '1 thread is'
        : `${state.ahead} threads are`
  return { code: 'next', message: `${ahead} claimed before it.` }
}

function hasAll(has: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((one) => has.includes(one))
}

function named(what: string, names: readonly string[]): string {
  return names.length === 1 ? `the ${what} ${names[0]}` : `all of the ${what}s ${names.join(', ')}`
}
