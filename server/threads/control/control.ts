import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '@/db/client'
import { askRunner } from '@/db/queries/threads/ask-runner'
import { moveUnheld } from '@/db/queries/threads/move-unheld'
import { readThread, type ThreadRow } from '@/db/queries/threads/read-thread'
import { AppError } from '@/server/kernel/errors'
import { testPoint } from '@/server/kernel/test-point'
import { threadNotFound } from '../not-found'
import { EXIT, isFinished } from '../status'
import { type ControlState, decide } from './decide'
import { endThread, killSummary } from './end-thread'
import { untilSettled } from './until-settled'

export type ControlCommand = 'pause' | 'resume' | 'kill'
export type Given = { id: string; reason?: string | undefined }
export type Controlled = ControlState & { effect: 'done' | 'requested' }

/** How long a caller may wait for the effect of a command, at most. */
export const CONTROL_WAIT_MS = 60_000
/** The first and the longest wait between two looks at whether the effect is there. */
const LOOK_MS = { first: 25, most: 250 }

/**
 * Gives a thread a command, and says what is true of it then: `done`, or `requested` where the runner that holds it has still to
 * do it. With `waitMs` it waits that long for the runner; `requested` with a status that is not running says that the thread took
 * another way first. Throws CONFLICT with the current status when the thread is in no state for the command, and NOT_FOUND.
 */
export async function controlThread(
  db: Database,
  { id, command, reason, waitMs = 0 }: Given & { command: ControlCommand; waitMs?: number | undefined },
  actor: { name: string },
): Promise<Controlled> {
  const given = await untilSettled(id, () => attempt(db, { id, command, reason: reason ?? null, actor: actor.name }))
  if (given.effect === 'done' || waitMs <= 0) return given
  return effectOf(db, { id, command, waitMs: Math.min(waitMs, CONTROL_WAIT_MS) }, given)
}

type Attempt = { id: string; command: ControlCommand; reason: string | null; actor: string }

/** Null: the thread moved between the look and the write. */
async function attempt(db: Database, { id, command, reason, actor }: Attempt): Promise<Controlled | null> {
  const thread = await readThread(db, id)
  if (thread === null) throw threadNotFound(id)
  const decision = decide(thread, command)
  await testPoint('control:decided')
  switch (decision.do) {
    case 'refuse':
      throw refused(thread, command, decision.why)
    case 'nothing':
      return { effect: decision.effect, status: thread.status, control: thread.control }
    case 'move': {
      const { to, event } = decision
      const moved = await moveUnheld(db, { thread: id, from: thread.status, to, event, actor, reason })
      return moved ? { effect: 'done', status: to, control: null } : null
    }
    case 'ask': {
      const { to, event, effect } = decision
      const asked = await askRunner(db, { thread: id, from: thread.control, to, event, actor, reason })
      return asked ? { effect, status: 'running', control: to } : null
    }
    case 'end': {
      const summary = killSummary(actor, reason)
      const ended = await endThread(db, { id, returnCode: EXIT.killed, summary, actor })
      return ended === 'ended' ? { effect: 'done', status: 'killed', control: null } : null
    }
    default:
      throw new AppError('INTERNAL', `The command ${command} was decided as ${decision.do}. Please report it.`, {})
  }
}

/** Looks at the thread until a runner has done what was asked, or the thread cannot do it any more, or the time is over. */
async function effectOf(
  db: Database,
  { id, command, waitMs }: { id: string; command: ControlCommand; waitMs: number },
  given: Controlled,
): Promise<Controlled> {
  const until = performance.now() + waitMs
  let last = given
  for (let look: number = LOOK_MS.first; ; look = Math.min(look * 2, LOOK_MS.most)) {
    const left = until - performance.now()
    if (left <= 0) return last
    await pause(Math.min(look, left))
    const thread = await readThread(db, id)
    if (thread === null) return last
    const { status, control } = thread
    last = { effect: 'requested', status, control }
    if (status === (command === 'kill' ? 'killed' : 'paused')) return { ...last, effect: 'done' }
    if (isFinished(status) || (command === 'pause' && control !== 'pause')) return last
  }
}

/** Says what the thread is, and what to do instead. */
export function refused(thread: Pick<ThreadRow, 'id' | 'status'>, command: string, why: string): AppError<'CONFLICT'> {
  const message = `Thread ${thread.id} is ${thread.status}, so ${command} is refused. ${why}`
  return new AppError('CONFLICT', message, { current: thread.status })
}
