import type { Database } from '@/db/client'
import { findParents } from '@/db/queries/threads/find-parents'
import { keptInputs, rejectInput, suspendThread } from '@/db/queries/threads/suspend-thread'
import type { Json, ThreadOutcome } from '@/sdk/types'
import { putNode } from '@/server/cas/put'
import { AppError, LeaseLost } from '@/server/kernel/errors'
import { type Hash, isHash } from '@/server/kernel/ids'
import { jsonSchema } from '@/server/kernel/json'
import { callArgs, type Wait } from '@/server/sandbox/protocol'
import { schemaProblem } from '@/server/threads/check-answer'
import { inputFits } from '@/server/threads/input'
import { BOUNDS } from '@/server/threads/limits'
import { CHILD_KEY, startThread } from '@/server/threads/start'
import type { Lease } from './lease'
import { whatIsWrong } from './role-output'

/** What came of a wait: its answer, or that this run is over because of it. */
export type Waited = { answer: Json } | { stopped: 'suspended' | 'kill'; wakeMs: number | null }

/**
 * Waits and child threads of one run. Both are known by their place: the n-th wait, the n-th child, of the role that runs after
 * a head. A role that runs again meets its own earlier ones.
 */
export class Waiting {
  private waits = 0
  private children = 0

  constructor(
    private readonly db: Database,
    private readonly runner: string,
    private readonly lease: Lease,
    private readonly thread: { actor: string; depth: number },
  ) {}

  /** A step is recorded: the next role counts from the beginning. */
  nextRole(): void {
    this.waits = 0
    this.children = 0
  }

  /** Throws BAD_INPUT, NOT_FOUND, LIMIT_EXCEEDED, CONFLICT, and LeaseLost. */
  async startChild(args: unknown, head: string): Promise<Json> {
    const request = callArgs['thread.start'].safeParse(args)
    if (!request.success) throw new AppError('BAD_INPUT', `startThread: ${whatIsWrong(request.error)}`, {})
    refuseRounds(request.data.maxRounds ?? 1)
    this.children += 1
    const { thread, token } = this.lease
    const child = await startThread(
      this.db,
      { ...request.data, idempotencyKey: `${CHILD_KEY}${thread}:${head}:${this.children}` },
      { name: this.thread.actor, origin: 'thread' },
      { thread, token, state: head, depth: this.thread.depth },
    )
    if (child.status !== 'dropped') return { threadId: child.id, status: child.status }
    throw new AppError('DROPPED', `The child ${child.id} was not started: ${child.why ?? 'its workflow is full'}.`, {
      thread: child.id,
    })
  }

  /** Throws BAD_INPUT, CONFLICT (a wait that could never end) and LeaseLost. */
  async wait(args: unknown, head: string): Promise<Waited> {
    const request = callArgs.wait.safeParse(args)
    if (!request.success) throw new AppError('BAD_INPUT', `wait: ${whatIsWrong(request.error)}`, {})
    const wait = request.data
    const problem = wait.schema === null ? null : schemaProblem(wait.schema)
    if (problem !== null) throw new AppError('BAD_INPUT', `wait: ${problem}.`, {})
    await this.refuseCallers(wait)
    this.waits += 1
    const key = `${head}.${this.waits}`
    for (;;) {
      const { seen, chosen } = await this.lookAtInputs(wait)
      const { thread, token } = this.lease
      const row = await suspendThread(this.db, this.runner, { ...wait, thread, token, key, seen, chosen })
      switch (row.outcome) {
        case 'answered':
          return {
            answer: await this.answerOf(
              wait,
              row.wait_status === 'answered',
              jsonSchema.parse(row.answer),
              row.answered_by,
            ),
          }
        case 'inputs':
          continue
        case 'suspended':
        case 'kill':
          return { stopped: row.outcome, wakeMs: row.wake_ms }
        case 'lost':
          throw new LeaseLost(thread)
        case 'cycle':
          throw neverEnds('one of these threads waits for this one')
      }
    }
  }

  /** The first kept input that fits; those for this wait that do not are kept no longer. */
  private async lookAtInputs(wait: Wait): Promise<{ seen: number; chosen: number | null }> {
    let seen = 0
    if (wait.kind !== 'input') return { seen, chosen: null }
    for (const input of await keptInputs(this.db, this.lease.thread)) {
      seen = input.seq
      if (input.name !== wait.name || (wait.subject !== null && input.subject !== wait.subject)) continue
      const fits = inputFits(wait, {
        value: jsonSchema.parse(input.value),
        actor: { name: input.actor, role: input.actor_role },
      })
      if (fits.ok) return { seen, chosen: input.seq }
      const { thread, token } = this.lease
      await rejectInput(this.db, { thread, token, seq: input.seq, why: fits.why })
    }
    return { seen, chosen: null }
  }

  private async answerOf(wait: Wait, answered: boolean, answer: Json, by: string | null): Promise<Json> {
    if (wait.kind === 'until') return null
    if (wait.kind === 'input') {
      return answered ? { answered, value: answer, by: by ?? 'unknown' } : { answered, reason: 'timeout' }
    }
    // `resolve_wait` writes an array of them.
    const outcomes = answered ? (answer as ThreadOutcome[]) : []
    return { answered, outcomes, group: await this.group(wait.targets.length, outcomes) }
  }

  /** What a step names as its child thread: the end of the one, or a node that names the ends of several. */
  private async group(targets: number, outcomes: ThreadOutcome[]): Promise<string | null> {
    const ended = outcomes.flatMap(({ threadId, workflow, returnCode, end }) =>
      end !== null && isHash(end) && workflow !== null
        ? [{ threadId, workflow, returnCode: returnCode ?? 1, end }]
        : [],
    )
    if (ended.length === 0) return null
    if (targets === 1) return ended[0]?.end ?? null
    const members = ended.map(({ threadId, workflow, returnCode }) => ({ threadId, workflow, returnCode }))
    const ends: Hash[] = ended.map(({ end }) => end)
    return putNode(this.db, { type: 'group', payload: { threads: members }, refs: ends })
  }

  /** A thread that waits for one that waits for it, or for itself, would wait for ever. */
  private async refuseCallers(wait: Wait): Promise<void> {
    if (wait.kind !== 'threads') return
    const above = [this.lease.thread, ...(await findParents(this.db, this.lease.thread))]
    const caller = wait.targets.find((target) => above.includes(target))
    if (caller !== undefined) throw neverEnds(`${caller} is this thread or one that called it`)
  }
}

/** A person cannot ask for more either. */
function refuseRounds(actual: number): void {
  const max = BOUNDS.maxRounds.ceiling
  if (actual <= max) return
  const message = `A child cannot be given ${actual} rounds: maxRounds is ${max} at most.`
  throw new AppError('LIMIT_EXCEEDED', message, { limit: 'maxRounds', max, actual })
}

function neverEnds(why: string): AppError<'CONFLICT'> {
  return new AppError('CONFLICT', `This wait would never end: ${why}.`, {})
}
