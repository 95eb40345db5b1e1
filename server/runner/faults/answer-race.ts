import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '@/db/client'
import { type ClaimedRow, claimThreads } from '@/db/queries/threads/claim-threads'
import { giveInput } from '@/server/threads/input'
import { startThread } from '@/server/threads/start'
import { Waiting } from '../waiting'

/** Between the moments at which the wait and its answer are sent, either way, in milliseconds. */
const SPREAD_MS = 5
const LEASE_MS = 600_000
const ACTOR = { name: 'test', origin: 'api', role: 'owner' } as const
const WAIT = {
  kind: 'input',
  name: 'input',
  prompt: 'Go on?',
  schema: { type: 'string' },
  subject: null,
  answerers: null,
  timeoutMs: null,
}

export type AnswerRace = {
  rounds: number
  /** The answer was there when the wait was written, so that the thread went on. */
  atOnce: number
  /** The thread was suspended, and the answer took it back to the queue. */
  woken: number
}

/**
 * Lets a runner write a wait and somebody give its answer at nearly the same moment, `rounds` times: the answer goes to this wait, and
 * a thread that was suspended is queued when both have been written, without anybody's having to look. Throws when one is lost.
 * `random` gives numbers from 0 to 1.
 */
export async function raceAnswers(
  db: Database,
  options: { workflow: string; rounds: number; lanes: number; random: () => number; onRound?: () => void },
): Promise<AnswerRace> {
  const result = { rounds: 0, atOnce: 0, woken: 0 }
  const lane = async (_: unknown, n: number) => {
    const label = `lane-${n}`
    const { id } = await startThread(db, { workflow: options.workflow, prompt: label, labels: [label] }, ACTOR)
    let claimed = await claimIt(db, label)
    while (result.rounds < options.rounds) {
      result.rounds += 1
      const value = `${label} ${result.rounds}`
      const ahead = (options.random() * 2 - 1) * SPREAD_MS
      const { head } = claimed
      const [waited, given] = await Promise.all([
        pause(Math.max(0, ahead)).then(() => waitingOf(db, claimed).wait(WAIT, head)),
        pause(Math.max(0, -ahead)).then(() => giveInput(db, { id, value }, ACTOR)),
      ])
      if ('answer' in waited) {
        result.atOnce += 1
        mustBe(waited.answer, value)
      } else {
        result.woken += 1
        if (given.effect !== 'answered') throw new Error(`The thread waits, and its answer ${value} was stored.`)
        claimed = await claimIt(db, label)
        const again = await waitingOf(db, claimed).wait(WAIT, head)
        mustBe('answer' in again ? again.answer : again, value)
      }
      // The next round is another first wait after the same head.
      await db.sql`delete from waits where thread = ${id}`
      options.onRound?.()
    }
  }
  await Promise.all(Array.from({ length: options.lanes }, lane))
  return result
}

function waitingOf(db: Database, claimed: ClaimedRow): Waiting {
  const lease = { thread: claimed.id, token: claimed.token, validUntil: Number.POSITIVE_INFINITY }
  return new Waiting(db, 'runner-race', lease, claimed)
}

/** The thread must be in the queue now: nobody sweeps or polls here. */
async function claimIt(db: Database, label: string): Promise<ClaimedRow> {
  const options = { runner: 'runner-race', capacity: 1, leaseMs: LEASE_MS, sweep: false, labels: [label] }
  const [claimed] = await claimThreads(db, options)
  if (claimed === undefined) throw new Error(`The thread of ${label} was answered, and is not queued.`)
  return claimed
}

function mustBe(answer: unknown, value: string): void {
  const got = answer as { answered?: boolean; value?: unknown }
  if (got.answered === true && got.value === value) return
  throw new Error(`The answer ${value} was lost: the wait got ${JSON.stringify(answer)}.`)
}
