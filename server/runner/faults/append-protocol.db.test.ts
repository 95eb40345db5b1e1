import fc from 'fast-check'
import { expect, test } from 'vitest'
import { appendSteps } from '@/db/queries/threads/append-steps'
import { claimThreads } from '@/db/queries/threads/claim-threads'
import { heartbeat, requeueThreads } from '@/db/queries/threads/keep-leases'
import { moveClock } from '@/db/testing/clock'
import { testDatabase } from '@/db/testing/test-database'
import { digestOf } from '@/server/cas/hash'
import { contentNode } from '@/server/cas/nodes'
import { verifyThread } from '@/server/cas/verify'
import { type Hash, threadIdSchema } from '@/server/kernel/ids'
import { Appender } from '../appender'
import { databaseClock } from '../database-clock'
import { begin, COUNTER, installBundle } from '../testing/bundles'
import { claimable, headOf, LEASE_MS, type Model, type ModelThread, newThread, rowsFor } from './append-model'

const db = await testDatabase()
await installBundle(db, 'counter', COUNTER)
const RUNNERS = ['runner-a', 'runner-b']
let texts = 0

async function newModel(threads: number): Promise<Model> {
  await db.sql`delete from threads`
  const model: Model = new Map()
  for (let n = 0; n < threads; n++) {
    texts += 1
    const id = await begin(db, 'counter', { steps: 0, ms: texts })
    const [row] = await db.sql<{ hash: Hash; digest: Buffer }[]>`
      select s.hash, s.digest from threads t join start_nodes s on s.hash = t.start where t.id = ${id}`
    if (row === undefined) throw new Error('a started thread has its start node')
    model.set(id, newThread(id, row))
  }
  return model
}

const nth = (model: Model, n: number): ModelThread => {
  const thread = [...model.values()][n % model.size]
  if (thread === undefined) throw new Error('the model has threads')
  return thread
}

type Command = fc.AsyncCommand<Model, null>
const command = (name: string, run: (model: Model) => Promise<void>): Command => ({
  check: () => true,
  toString: () => name,
  async run(model) {
    await run(model)
    await checkInvariants(model)
  },
})

const claim = (runner: string, capacity: number, sweep: boolean) =>
  command(`claim(${runner}, ${capacity}, ${sweep})`, async (model) => {
    const wanted = claimable(model, capacity, sweep)
    const rows = await claimThreads(db, { runner, capacity, leaseMs: LEASE_MS, sweep })
    expect(rows.map((row) => row.id)).toEqual(wanted.map((thread) => thread.id))
    for (const [n, thread] of wanted.entries()) {
      const swept = thread.status === 'running'
      thread.crashes += swept ? 1 : 0
      thread.events += swept ? 2 : 1
      Object.assign(thread, {
        status: 'running',
        runner,
        token: thread.token + 1,
        attempt: thread.attempt + 1,
        expired: false,
      })
      expect(rows[n]).toMatchObject({
        token: thread.token,
        head: headOf(thread),
        height: thread.nodes.length,
        crashes: thread.crashes,
      })
    }
  })

type Attempt = { thread: number; behind: number; tokensBehind: number; end: boolean; again: boolean }

/** One statement for several threads: each moves, is found moved already, or is refused, whatever the others do. */
const append = (attempts: Attempt[]) =>
  command(`append(${JSON.stringify(attempts)})`, async (model) => {
    const rows = new Map<ModelThread, ReturnType<typeof rowsFor> | NonNullable<ModelThread['last']>>()
    for (const attempt of attempts) {
      const thread = nth(model, attempt.thread)
      if (rows.has(thread)) continue
      texts += 1
      const behind = Math.min(attempt.behind, thread.nodes.length)
      const fresh = rowsFor(thread, { ...attempt, behind, text: `text ${texts}` })
      rows.set(thread, attempt.again && thread.last !== null ? thread.last : fresh)
    }
    const all = [...rows.values()]
    const answered = await appendSteps(db, {
      notify: false,
      runner: 'runner-a',
      steps: all.map(({ step }) => step),
      contents: all.flatMap(({ contents }) => contents),
    })
    const heads = new Set(answered.map((row) => row.thread))
    for (const [thread, given] of rows) {
      const { step } = given
      const holds = thread.status === 'running' && step.token === thread.token && step.expected === headOf(thread)
      expect(heads.has(thread.id)).toBe(holds || headOf(thread) === step.hash)
      if (!holds || !('node' in given)) continue
      thread.nodes.push(given.node)
      thread.last = { step, contents: given.contents }
      if (step.end === undefined) Object.assign(thread, { steps: thread.steps + 1, crashes: 0 })
      else
        Object.assign(thread, { status: 'completed', token: thread.token + 1, events: thread.events + 1, runner: null })
    }
  })

const requeue = (n: number, tokensBehind: number, event: 'released' | 'crashed') =>
  command(`requeue(${n}, ${tokensBehind}, ${event})`, async (model) => {
    const thread = nth(model, n)
    const held = [{ id: thread.id, token: thread.token - tokensBehind }]
    const given = await requeueThreads(db, { runner: 'runner-a', held, event, reason: 'test', delayMs: 0 })
    const holds = thread.status === 'running' && tokensBehind === 0
    expect(given).toEqual(holds ? [thread.id] : [])
    if (!holds) return
    thread.crashes += event === 'crashed' ? 1 : 0
    Object.assign(thread, { status: 'queued', runner: null, token: thread.token + 1, events: thread.events + 1 })
  })

const beat = (tokensBehind: number) =>
  command(`heartbeat(${tokensBehind})`, async (model) => {
    const held = [...model.values()].map((thread) => ({ id: thread.id, token: thread.token - tokensBehind }))
    const { held: still } = await heartbeat(db, { runner: 'runner-a', held, leaseMs: LEASE_MS, staleWrites: 0 })
    const kept = [...model.values()].filter((thread) => thread.status === 'running' && tokensBehind === 0)
    expect(still).toEqual(new Set(kept.map((thread) => thread.id)))
    for (const thread of kept) thread.expired = false
  })

const expire = () =>
  command('expire', async (model) => {
    await moveClock(db, LEASE_MS + 1_000)
    for (const thread of model.values()) if (thread.status === 'running') thread.expired = true
  })

/** Invariants 1 to 4 of the data model, and that the rows are what the model says. */
async function checkInvariants(model: Model): Promise<void> {
  for (const thread of model.values()) {
    const [row] = await db.sql`
      select status, head, height, steps, crashes, attempt, lease_token as token, runner, event_seq as events from threads where id = ${thread.id}`
    const { status, steps, crashes, attempt, token, runner, events } = thread
    expect(row).toEqual({
      status,
      head: headOf(thread),
      height: thread.nodes.length,
      steps,
      crashes,
      attempt,
      token,
      runner,
      events,
    })
    const chain = await db.sql<{ hash: string; height: number; role: string }[]>`
      with recursive chain as (
        select hash, parent, height, role from state_nodes where hash = ${headOf(thread)}
        union all select s.hash, s.parent, s.height, s.role from chain c join state_nodes s on s.hash = c.parent
      ) select hash, height, role from chain order by height`
    expect(chain.map((node) => node.hash)).toEqual(thread.nodes.map((node) => node.hash))
    expect(chain.map((node) => node.height)).toEqual(chain.map((_, index) => index + 1))
    expect(chain.filter((node) => node.role !== '__end__').length).toBe(thread.steps)
    expect(chain.at(-1)?.role === '__end__').toBe(thread.status === 'completed')
    const seqs = await db.sql<{ seq: number }[]>`select seq from thread_events where thread = ${thread.id} order by seq`
    expect(seqs.map(({ seq }) => seq)).toEqual(Array.from({ length: events }, (_, index) => index + 1))
  }
}

const attempts = fc.array(
  fc.record({
    thread: fc.nat(2),
    behind: fc.oneof(
      { weight: 4, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 3 }) },
    ),
    tokensBehind: fc.oneof(
      { weight: 4, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 2 }) },
    ),
    end: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
    again: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  }),
  { minLength: 1, maxLength: 3 },
)
const commands = fc.commands(
  [
    fc.tuple(fc.constantFrom(...RUNNERS), fc.integer({ min: 1, max: 3 }), fc.boolean()).map((args) => claim(...args)),
    attempts.map(append),
    attempts.map(append),
    fc
      .tuple(fc.nat(2), fc.nat(1), fc.constantFrom<'released' | 'crashed'>('released', 'crashed'))
      .map((args) => requeue(...args)),
    fc.nat(1).map(beat),
    fc.constant(expire()),
  ],
  { maxCommands: 40 },
)

test('any interleaving of claims, appends, stale appends, tries again, returns and expiries keeps the invariants', async () => {
  await fc.assert(
    fc.asyncProperty(commands, async (list) => {
      const model = await newModel(3)
      await fc.asyncModelRun(() => ({ model, real: null }), list)
      for (const thread of model.values())
        expect((await verifyThread(db, threadIdSchema.parse(thread.id))).findings).toEqual([])
    }),
    { numRuns: 25 },
  )
}, 120_000)

test('two contents with one hash: only the thread that brings the second hears of it, the others of its flush are appended', async () => {
  const model = await newModel(3)
  const threads = [...model.values()]
  await claimThreads(db, { runner: 'runner-a', capacity: 3, leaseMs: LEASE_MS, sweep: false })
  for (const thread of threads) thread.token = 1
  const clock = databaseClock()
  const appender = new Appender([db], 'runner-a', clock)
  const taken = contentNode('the first with this hash', [])
  await db.sql`
    insert into blobs (hash, type, refs, digest, body, size)
    values ('0000000000001', 'content', '{}', ${digestOf(taken.body, [])}, ${taken.body}, ${taken.size})`
  const results = await Promise.allSettled(
    threads.map((thread, n) => {
      const { step, contents } = rowsFor(thread, { text: `mine ${n}`, behind: 0, tokensBehind: 0, end: false })
      const lease = { thread: thread.id, token: 1, validUntil: Number.POSITIVE_INFINITY }
      const collide = n === 1 ? contents.map((row) => ({ ...row, hash: '0000000000001' })) : contents
      return appender.append(lease, step, collide)
    }),
  )
  expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(results[1]).toMatchObject({ reason: { code: 'HASH_COLLISION', data: { hash: '0000000000001' } } })
  const rows = await db.sql<{ height: number }[]>`select height from threads order by id`
  expect(rows.map((row) => row.height)).toEqual([1, 0, 1])
  const [stored] = await db.sql<{ body: string }[]>`select body from blobs where hash = '0000000000001'`
  expect(stored?.body).toBe(taken.body)
})
