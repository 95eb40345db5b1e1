import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '@/db/client'
import { retrySafe } from '@/db/errors'
import { type ErrorCode, isAppError, messageOf } from '@/server/kernel/errors'
import { controlThread } from '@/server/threads/control/control'
import { retryThread } from '@/server/threads/control/retry'
import { forkThread } from '@/server/threads/fork'
import { giveInput } from '@/server/threads/input'
import { startThread } from '@/server/threads/start'
import { inputKey, type Ledger } from './ledger'
import type { Random } from './random'
import type { Planned, Script } from './script'

export const OPERATOR = { name: 'chaos', origin: 'api', role: 'owner' } as const

/** Codes that a command may be refused with when it meets a thread that has moved on. */
const MOVED: ReadonlySet<ErrorCode> = new Set(['CONFLICT', 'NOT_FOUND'])

/** A person who gives commands at random moments, over connections that are cut at random moments. */
export class Operator {
  constructor(
    private readonly db: Database,
    private readonly random: Random,
    private readonly ledger: Ledger,
    private readonly port: number,
  ) {}

  /** Starts a planned thread, and answers at once what it will ask where its plan says so. */
  async start(planned: Planned, key: string): Promise<void> {
    const { workflow, script } = planned
    const input = { ...script, port: this.port }
    const asked = { workflow, prompt: key, input: JSON.parse(JSON.stringify(input)), idempotencyKey: key }
    const started = await retrySafe(() => startThread(this.db, asked, OPERATOR), { attempts: 50, maxDelayMs: 300 })
    this.ledger.counts.started += 1
    if (started.status === 'dropped') {
      this.ledger.dropped.add(started.id)
      return
    }
    if (planned.early) await this.answerEarly(started.id, script)
    if (planned.victim === 'no') return
    await pause(this.random.between(0, 5_000))
    const killed = await this.kill(started.id)
    if (!killed || planned.victim === 'kill') return
    await pause(this.random.between(0, 3_000))
    await this.retry(started.id)
  }

  /** Pauses, resumes or forks one of the threads that are there. */
  async meddle(): Promise<void> {
    const kind = this.random.next()
    if (kind < 0.48) await this.pause()
    else if (kind < 0.94) await this.resume()
    else await this.fork()
  }

  async resumeAll(): Promise<void> {
    const paused = await this.look<{ id: string }>(() => this.db.sql`select id from threads where status = 'paused'`)
    for (const { id } of paused) await this.control(id, 'resume')
  }

  /** Answers open questions, each with this probability. */
  async answer(probability: number): Promise<void> {
    const open = await this.look<{ thread: string; name: string }>(
      () => this.db.sql`select thread, name from waits where kind = 'input' and status = 'open' order by thread, name`,
    )
    for (const { thread, name } of open) if (this.random.chance(probability)) await this.give(thread, name)
  }

  /** A second try for what fails the first time only. */
  async retryFlaky(): Promise<void> {
    const failed = await this.look<{ id: string }>(
      () =>
        this.db
          .sql`select id from threads where status = 'failed' and summary like '%fails the first time%' order by id`,
    )
    for (const { id } of failed) await this.retry(id)
  }

  private async pause(): Promise<void> {
    const id = await this.pick(['queued', 'running', 'waiting'])
    if (id !== undefined && (await this.control(id, 'pause'))) this.ledger.counts.paused += 1
  }

  private async resume(): Promise<void> {
    const id = await this.pick(['paused'])
    if (id !== undefined && (await this.control(id, 'resume'))) this.ledger.counts.resumed += 1
  }

  private async kill(id: string): Promise<boolean> {
    const done = await this.control(id, 'kill')
    if (done === undefined) return false
    this.ledger.counts.killed += 1
    this.ledger.kills.set(id, done === 'done' ? 'done' : 'asked')
    return true
  }

  private async retry(id: string): Promise<void> {
    const done = await this.attempt(`retry of ${id}`, () => retryThread(this.db, { id }, OPERATOR))
    // One whose answer was lost may have been done.
    if (done !== 'refused') this.ledger.retried.add(id)
    if (typeof done === 'object') this.ledger.counts.retried += 1
  }

  private async fork(): Promise<void> {
    const id = await this.pick(['running', 'waiting', 'paused', 'completed', 'failed', 'killed'])
    if (id === undefined) return
    const at = this.random.chance(0.5) ? {} : { at: { step: this.random.between(0, 2) } }
    const done = await this.attempt(`fork of ${id}`, () => forkThread(this.db, { id, ...at }, OPERATOR), [
      'BAD_INPUT',
      'LIMIT_EXCEEDED',
    ])
    if (typeof done === 'object') this.ledger.counts.forked += 1
  }

  private async answerEarly(thread: string, script: Script): Promise<void> {
    for (const op of script.ops) {
      if (op.do !== 'ask') continue
      const given = await this.give(thread, op.name)
      if (given?.first && given.effect === 'stored') this.ledger.early.set(inputKey(thread, op.name), given.value)
    }
  }

  /** Undefined when it was not taken for certain. `first`: nothing was given under this name before. */
  private async give(
    thread: string,
    name: string,
  ): Promise<{ value: string; effect: 'answered' | 'stored'; first: boolean } | undefined> {
    const key = inputKey(thread, name)
    const values = this.ledger.given.get(key) ?? []
    this.ledger.given.set(key, values)
    const value = `${key} ${values.length}`
    values.push(value)
    const first = values.length === 1
    const done = await this.attempt(`input ${name} of ${thread}`, () =>
      giveInput(this.db, { id: thread, name, value }, OPERATOR),
    )
    if (typeof done !== 'object') return undefined
    this.ledger.counts[done.effect] += 1
    return { value, effect: done.effect, first }
  }

  /** The effect; `unknown` when the connection broke before it was told; undefined when it was refused. */
  private async control(
    id: string,
    command: 'pause' | 'resume' | 'kill',
  ): Promise<'done' | 'requested' | 'unknown' | undefined> {
    const waitMs = this.random.chance(0.1) ? 500 : 0
    const done = await this.attempt(`${command} of ${id}`, () =>
      controlThread(this.db, { id, command, reason: 'chaos', waitMs }, OPERATOR),
    )
    if (done === 'refused') return undefined
    return done === 'unknown' ? 'unknown' : done.effect
  }

  private async attempt<T extends object>(
    what: string,
    command: () => Promise<T>,
    also: ErrorCode[] = [],
  ): Promise<T | 'refused' | 'unknown'> {
    try {
      return await command()
    } catch (error) {
      if (isAppError(error) && (MOVED.has(error.code) || also.includes(error.code))) {
        this.ledger.counts.conflicts += 1
        return 'refused'
      }
      if (isAppError(error, 'UNAVAILABLE') || isAppError(error, 'TIMEOUT')) return 'unknown'
      this.ledger.problems.push(`${what} failed: ${messageOf(error)}`)
      return 'unknown'
    }
  }

  private async pick(statuses: string[]): Promise<string | undefined> {
    const rows = await this.look<{ id: string }>(
      () => this.db.sql`select id from threads where status = any(${statuses}::text[]) order by id`,
    )
    return this.random.pickAny(rows)?.id
  }

  private async look<T extends object>(query: () => PromiseLike<readonly object[]>): Promise<T[]> {
    // The rows that the statement names.
    return (await retrySafe(async () => [...(await query())], { attempts: 50, maxDelayMs: 300 })) as T[]
  }
}
