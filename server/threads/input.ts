import { z } from 'zod'
import type { Queryable } from '@/db/client'
import { giveInputRow } from '@/db/queries/threads/give-input'
import { readThread } from '@/db/queries/threads/read-thread'
import { readOpenWait, type WaitEntry } from '@/db/queries/threads/read-waits'
import type { Json, JsonObject } from '@/sdk/types'
import { ROLES, type Role } from '@/server/access/permissions'
import { AppError } from '@/server/kernel/errors'
import { jsonObjectSchema } from '@/server/kernel/json'
import { testPoint } from '@/server/kernel/test-point'
import { type AnswerProblem, checkAnswer, problemText } from './check-answer'
import { untilSettled } from './control/until-settled'
import { threadNotFound } from './not-found'
import { isFinished, type ThreadStatus } from './status'

export const INPUT_LIMITS = {
  /** UTF-8 bytes of one input's JSON text. */
  inputBytes: 1024 * 1024,
  /** Inputs of one thread that are kept for a wait to come. */
  keptInputs: 100,
}

export type InputGift = {
  id: string
  value: Json
  /** Which wait it is for; without it, the open one, or `input`. */
  name?: string | undefined
  /** Hash of what is approved. */
  subject?: string | undefined
  /** Key of the wait that the caller saw: the input answers that one, or nothing. */
  wait?: string | undefined
}

export type InputEffect = {
  /** `stored`: no wait of that name is open; it is kept for the next one. */
  effect: 'answered' | 'stored'
  /** Key of the wait that it answered. */
  wait: string | null
  status: ThreadStatus
}

const answerersSchema = z.object({ role: z.enum(ROLES).optional(), names: z.array(z.string()).optional() }).nullable()

/** What of a wait decides whether an input fits. */
type Asked = { schema: unknown; answerers: unknown }
type Given = { value: Json; actor: { name: string; role: string } }

/** Whether who gave an input may answer a wait, and its value is what the wait's schema asks for. Pure. */
export function inputFits(wait: Asked, input: Given): { ok: true } | { ok: false; why: string } {
  const refusal = mayAnswer(wait.answerers, input.actor)
  if (refusal !== null) return { ok: false, why: refusal }
  const problems = answerProblems(wait, input.value)
  return problems.length === 0
    ? { ok: true }
    : { ok: false, why: `it is not what was asked for: ${problemText(problems)}` }
}

/**
 * Gives a thread an input: it answers the wait that is open, or is kept for the next one of its name. On an error nothing is
 * written: BAD_INPUT names what does not fit the wait's schema; FORBIDDEN, CONFLICT (the wait it was for is not open any more,
 * it is about something else, the thread has ended), LIMIT_EXCEEDED, NOT_FOUND.
 */
export async function giveInput(
  db: Queryable,
  gift: InputGift,
  actor: { name: string; role: Role },
): Promise<InputEffect> {
  const value = JSON.stringify(gift.value)
  refuseAbove(Buffer.byteLength(value))
  return untilSettled(gift.id, async () => {
    const { wait, name } = await findWait(db, gift)
    if (wait !== null) refuseUnfit(wait, gift, actor)
    await testPoint('input:checked')
    const given = await giveInputRow(db, {
      thread: gift.id,
      openWait: wait?.key ?? null,
      name,
      value,
      subject: gift.subject ?? null,
      actor: actor.name,
      actorRole: actor.role,
      most: INPUT_LIMITS.keptInputs,
    })
    if (given.outcome === 'moved') return null
    if (given.outcome === 'full') throw tooMany(gift.id)
    // give_input answers with the status column.
    return { effect: given.outcome, wait: wait?.key ?? null, status: given.status as ThreadStatus }
  })
}

/** The open wait that the input is for, null when it is for a later one; and its name. */
async function findWait(db: Queryable, gift: InputGift): Promise<{ wait: WaitEntry | null; name: string }> {
  // In this order: a wait that is open after the look at the thread's status was asked by that life of the thread, or later.
  const thread = await readThread(db, gift.id)
  if (thread === null) throw threadNotFound(gift.id)
  if (isFinished(thread.status)) {
    const message = `Thread ${gift.id} is ${thread.status}: it takes no input any more. Retry it, or fork it, if it is to go on.`
    throw new AppError('CONFLICT', message, { current: thread.status })
  }
  const open = await readOpenWait(db, gift.id)
  const asked = open?.kind === 'input' ? open : null
  if (gift.wait !== undefined && asked?.key !== gift.wait) {
    const message = `Thread ${gift.id} does not wait for this answer any more (${gift.wait}). Nothing was stored; look at what it asks now.`
    throw new AppError('CONFLICT', message, { current: asked?.key ?? thread.status })
  }
  const name = gift.name ?? asked?.name ?? 'input'
  if (gift.wait !== undefined && asked !== null && name !== asked.name) {
    const message = `The wait ${gift.wait} is for an input named ${asked.name}, not ${name}. Leave the name out, or give that one.`
    throw new AppError('BAD_INPUT', message, { field: 'name' })
  }
  return { wait: asked?.name === name ? asked : null, name }
}

function refuseUnfit(wait: WaitEntry, gift: InputGift, actor: { name: string; role: Role }): void {
  const refusal = mayAnswer(wait.answerers, actor)
  if (refusal !== null) throw new AppError('FORBIDDEN', `You may not answer this: ${refusal}.`, {})
  if (wait.subject !== null && gift.subject !== wait.subject) {
    if (gift.subject === undefined) {
      const message = `Thread ${gift.id} asks about ${wait.subject}. Look at it, and name it as the subject of your answer.`
      throw new AppError('BAD_INPUT', message, { field: 'subject' })
    }
    const message = `Thread ${gift.id} asks about ${wait.subject} now, and your answer is about ${gift.subject}. Nothing was stored; look at what it asks.`
    throw new AppError('CONFLICT', message, { current: wait.subject })
  }
  const problems = answerProblems(wait, gift.value)
  if (problems.length === 0) return
  const message = `The input is not what thread ${gift.id} asks for: ${problemText(problems)}. Nothing was stored.`
  const path = problems[0]?.path ?? ''
  throw new AppError('BAD_INPUT', message, { field: path === '' ? 'value' : `value.${path}` })
}

function answerProblems({ schema }: Asked, value: Json): AnswerProblem[] {
  if (schema === null) return []
  const parsed = jsonObjectSchema.safeParse(schema)
  if (!parsed.success) return [{ path: '', message: 'cannot be checked: its schema is no JSON object' }]
  const checked = checkAnswer(parsed.data satisfies JsonObject, value)
  return checked.ok ? [] : checked.problems
}

/** Why somebody may not answer; null when they may: they have the role, or one above it, or their name is named. */
function mayAnswer(stored: unknown, actor: { name: string; role: string }): string | null {
  const answerers = answerersSchema.safeParse(stored)
  if (!answerers.success) return 'who may answer it cannot be read'
  if (answerers.data === null) return null
  const { role, names } = answerers.data
  if (role === undefined && names === undefined) return null
  if (names?.includes(actor.name)) return null
  if (role !== undefined && rank(actor.role) >= rank(role)) return null
  const who = [role === undefined ? [] : [`at least the role ${role}`], names === undefined ? [] : [names.join(', ')]]
  return `it takes ${who.flat().join(', or ')}, and ${actor.name} is ${actor.role}`
}

function rank(role: string): number {
  return (ROLES as readonly string[]).indexOf(role)
}

function refuseAbove(actual: number): void {
  const max = INPUT_LIMITS.inputBytes
  if (actual <= max) return
  const message = `The input has ${actual} bytes, more than inputBytes allows (${max}). Store what is large with cas.put and name its hash.`
  throw new AppError('LIMIT_EXCEEDED', message, { limit: 'inputBytes', max, actual })
}

function tooMany(id: string): AppError<'LIMIT_EXCEEDED'> {
  const max = INPUT_LIMITS.keptInputs
  const message = `Thread ${id} keeps ${max} inputs that nothing has asked for, which is the bound keptInputs. Wait until it asks.`
  return new AppError('LIMIT_EXCEEDED', message, { limit: 'keptInputs', max })
}
