import { beforeAll, describe, expect, it } from 'vitest'
import { claimThreads } from '@/db/queries/threads/claim-threads'
import { requeueThreads } from '@/db/queries/threads/keep-leases'
import { testDatabase } from '@/db/testing/test-database'
import { addWorkflow } from '@/server/registry/add'
import { limitWorkflow } from '@/server/registry/limit'
import { begin, bundleOf, COUNTER, installBundle } from '@/server/runner/testing/bundles'
import { startLocalRunner } from '@/server/runner/testing/local-runner'
import { factsOf, untilEnded } from '@/server/runner/testing/thread-facts'
import { until } from '@/server/runner/testing/until'
import { controlThread } from '@/server/threads/control/control'
import { removeThread } from '@/server/threads/control/remove'
import { retryThread } from '@/server/threads/control/retry'
import { forkThread } from '@/server/threads/fork'
import { giveInput } from '@/server/threads/input'
import { startThread } from '@/server/threads/start'
import { scriptedThread } from '@/server/threads/testing/scripted-thread'
import { checkInvariants } from '../invariants/check-invariants'
import { rebuild } from './rebuild'

const db = await testDatabase()
const ACTOR = { name: 'ada', origin: 'api', role: 'owner' } as const
const STATUSES = ['queued', 'running', 'paused', 'waiting', 'completed', 'failed', 'killed', 'dropped']
/** What neither nodes nor events say: the lease, and times that only order work. */
const UNTOLD = new Set(['lease_token', 'lease_expires_at', 'updated_at', 'available_at'])

const PARENT = bundleOf(`
  if (thread.steps.length === 0) {
    const { threadId } = await runtime.startThread({ workflow: 'counter', prompt: 'child', input: { steps: 2, ms: 1 } })
    const { group } = await runtime.wait({ thread: threadId })
    yield { role: 'work', contentHash: await runtime.cas.put('done'), meta: {}, refs: [], childThread: group }
  }
  return { returnCode: 0, summary: 'gathered' }`)
const ASKS = bundleOf(`
  runtime.log('about to ask')
  const { value } = await runtime.wait({ input: { type: 'object' }, prompt: 'Well?' })
  yield await say(1, JSON.stringify(value))
  return { returnCode: 0, summary: 'asked' }`)

const untilStatus = (id: string, status: string) =>
  until(
    () => factsOf(db, id),
    (facts) => facts.status === status,
  )

/** Threads of all kinds, by a runner and by the engine's statements; every process has stopped when it resolves. */
async function makeThreads(): Promise<{ running: string; removed: string }> {
  await installBundle(db, 'counter', COUNTER)
  await installBundle(db, 'failing', bundleOf(`yield await say(1); throw new Error('no luck')`))
  await installBundle(db, 'parent', PARENT)
  await installBundle(db, 'asks', ASKS)
  await installBundle(db, 'narrow', COUNTER.replace('counted', 'counted anew'), { limits: { queueDepth: 1 } })
  await installBundle(db, 'endless', bundleOf(`for (;;) await new Promise((resolve) => setTimeout(resolve, 1e6))`))
  const { stop } = await startLocalRunner(db.url)
  const completed = await begin(db, 'counter', { steps: 3, ms: 1 }, { deadlineSeconds: 3_600 })
  const failed = await begin(db, 'failing')
  const again = await begin(db, 'failing', {}, { deadlineSeconds: 600, maxRounds: 7 })
  const parent = await begin(db, 'parent')
  const asking = await begin(db, 'asks')
  const answered = await begin(db, 'asks', { n: 2 })
  const doomed = await begin(db, 'asks', { n: 3 })
  const paused = await begin(db, 'asks', { n: 4 })
  const endless = await begin(db, 'endless')
  await Promise.all([completed, failed, again, parent].map((id) => untilEnded(db, id)))
  await Promise.all([asking, answered, doomed, paused].map((id) => untilStatus(id, 'waiting')))
  await giveInput(db, { id: answered, value: { fine: true } }, ACTOR)
  await giveInput(db, { id: answered, value: { early: true } }, ACTOR).catch(() => undefined)
  await untilEnded(db, answered)
  await controlThread(db, { id: doomed, command: 'kill', reason: 'not wanted' }, ACTOR)
  await controlThread(db, { id: paused, command: 'pause', reason: 'later' }, ACTOR)
  await untilStatus(endless, 'running')
  await controlThread(db, { id: endless, command: 'kill', reason: 'too long', waitMs: 20_000 }, ACTOR)
  await retryThread(db, { id: again, reason: 'perhaps now' }, ACTOR)
  await untilEnded(db, again)
  const fork = await forkThread(db, { id: completed, at: { step: 2 } }, ACTOR)
  await untilEnded(db, fork.id)
  await stop()

  // A step is injected only for a role that the version has.
  const descriptor = { description: '', roles: { work: { description: '', schema: {} } }, graph: { edges: [] } }
  await db.sql`update bundles set descriptor = ${JSON.stringify(descriptor)}::json`
  await forkThread(
    db,
    {
      id: completed,
      at: { step: 1 },
      overrides: { step: { role: 'work', content: 'as if', meta: { n: 2 } }, maxRounds: 9 },
    },
    ACTOR,
  )
  await retryThread(db, { id: failed }, ACTOR)
  const tagged = { workflow: 'counter', prompt: 'tagged', tags: ['a', 'b'], priority: 3, labels: ['gpu'], dryRun: true }
  await startThread(db, { ...tagged, idempotencyKey: 'k1' }, ACTOR)
  await startThread(db, { workflow: 'narrow', prompt: 'first' }, ACTOR)
  await startThread(db, { workflow: 'narrow', prompt: 'dropped' }, ACTOR)
  const removed = await begin(db, 'counter', { steps: 1, ms: 1 })
  await removeThread(db, { id: removed }, ACTOR)
  await db.sql`update threads set available_at = app_now() + interval '1 hour' where status = 'queued'`
  const crashed = await scriptedThread(db, { workflow: 'crashes' })
  await crashed.step('work', 'before the crash')
  await crashed.say('one line', 'and another')
  const held = await db.sql<{ id: string; token: number }[]>`
    select id, lease_token as token from threads where status = 'running'`
  await requeueThreads(db, { runner: 'r1', held: [...held], event: 'crashed', reason: 'exit 9', delayMs: 0 })
  await claimThreads(db, { runner: 'r1', capacity: 1, leaseMs: 0, sweep: false })
  await claimThreads(db, { runner: 'r2', capacity: 1, leaseMs: 0, sweep: true })
  // Two that run with the same start node, one of them further than its last event says.
  const twin = await scriptedThread(db, { workflow: 'twins' })
  const running = await scriptedThread(db, { workflow: 'twins' })
  await twin.step('work', 'mine')
  await twin.end()
  await running.step('work', 'one')
  await running.step('work', 'two')
  await controlThread(db, { id: running.id, command: 'pause', reason: 'soon' }, ACTOR)
  await running.step('work', 'three')
  await db.sql`update threads set lease_expires_at = app_now() where status = 'running'`
  await db.sql`
    insert into bundles (hash, source, digest, descriptor, size)
    select b, '', ''::bytea, '{}'::json, 0 from (select distinct bundle as b from threads) t on conflict do nothing`
  return { running: running.id, removed }
}

async function rows() {
  const all = await db.sql<{ id: string }[]>`select * from threads order by id`
  return all.map((row) => Object.fromEntries(Object.entries(row).filter(([column]) => !UNTOLD.has(column))))
}

/** Times are those of the events, a moment after those of the row. */
function expectEqual(actual: Record<string, unknown>[], expected: Record<string, unknown>[]) {
  const withoutTimes = (list: typeof actual) =>
    list.map((row) =>
      Object.fromEntries(Object.entries(row).filter(([name, value]) => !(value instanceof Date) && name !== 'idle_ms')),
    )
  expect(withoutTimes(actual)).toEqual(withoutTimes(expected))
  for (const [n, row] of actual.entries())
    for (const [column, value] of Object.entries(row)) {
      const other = expected[n]?.[column]
      if (value instanceof Date && other instanceof Date) expect(Math.abs(+value - +other)).toBeLessThan(5_000)
      else if (value instanceof Date || other instanceof Date) expect({ [column]: value }).toEqual({ [column]: other })
    }
}

describe('threads', () => {
  let made = { running: '', removed: '' }
  let before: Record<string, unknown>[] = []
  const look = async (apply: boolean) => (await rebuild(db, { apply })).threads

  beforeAll(async () => {
    made = await makeThreads()
    before = await rows()
  }, 90_000)

  it('of every status are exactly what their nodes and events say', async () => {
    expect(new Set(before.map(({ status }) => status))).toEqual(new Set(STATUSES))
    const { checked, differing, undecided } = await look(false)
    expect({ differing, undecided }).toEqual({ differing: [], undecided: [] })
    // And the one that was removed.
    expect(checked).toBe(before.length + 1)
  })

  it('are made again when their rows are lost, equal to what they were, and go on from there', async () => {
    await db.sql`delete from threads`
    const lost = await look(false)
    expect(lost.differing).toHaveLength(before.length)
    expect(await rows()).toEqual([])
    await look(true)
    expectEqual(await rows(), before)
    expect(await look(false)).toMatchObject({ differing: [], undecided: [] })
    const { items } = await checkInvariants(db, { deep: true, settleSeconds: 0 })
    expect(items.filter(({ ok }) => !ok)).toEqual([])
    const taken = await claimThreads(db, { runner: 'r9', capacity: 9, leaseMs: 0, sweep: true })
    const [head] = before.filter(({ id }) => id === made.running)
    expect(taken.find(({ id }) => id === made.running)).toMatchObject({ head: head?.head, steps: 3, control: 'pause' })
  })

  it('are mended column by column, and a row that should be gone goes', async () => {
    before = await rows()
    const [first] = before
    await db.sql`update threads set status = 'completed', summary = 'made up', steps = steps + 1, tags = '{x}', attempt = 77, head = start
      where id <> ${made.running}`
    await db.sql`
      insert into threads (id, workflow, bundle, status, start, head, actor, origin, excerpt)
      select ${made.removed}, workflow, bundle, 'queued', start, start, actor, origin, '' from threads limit 1`
    const { differing } = await look(true)
    expect(differing).toContainEqual({
      id: first?.id,
      column: 'tags',
      stored: '["x"]',
      rebuilt: JSON.stringify(first?.tags),
    })
    expect(differing).toContainEqual({ id: made.removed, column: 'id', stored: made.removed, rebuilt: null })
    expectEqual(await rows(), before)
  })

  it('that a runner holds are left as they are, and said to be', async () => {
    await db.sql`update threads set priority = 9, lease_expires_at = app_now() + interval '1 hour' where id = ${made.running}`
    const held = await look(true)
    expect(held).toMatchObject({
      differing: [],
      undecided: [{ id: made.running, why: expect.stringMatching(/differs in priority/) }],
    })
    await db.sql`update threads set lease_expires_at = app_now() where id = ${made.running}`
    expect((await look(true)).differing).toMatchObject([{ id: made.running, column: 'priority', stored: '9' }])
  })

  it('whose history does not say what they are stay undecided, with the reason', async () => {
    await db.sql`update thread_events set data = '{}' where thread = ${made.removed} or (seq = 1 and thread = ${made.running})`
    await db.sql`delete from thread_events where thread = ${String(before[0]?.id)} and seq = 2`
    const { undecided } = await look(true)
    expect(undecided).toContainEqual({ id: made.running, why: expect.stringMatching(/earlier version/) })
    expect(undecided).toContainEqual({ id: before[0]?.id, why: 'Its event 2 is missing.' })
  })
})

it('a running thread of which two chains may be the history is left undecided', async () => {
  await db.sql`delete from threads`
  await db.sql`delete from thread_events`
  const one = await scriptedThread(db, { workflow: 'doubtful' })
  const other = await scriptedThread(db, { workflow: 'doubtful' })
  await one.step('work', 'of one')
  await other.step('work', 'of the other')
  await db.sql`delete from threads where id in (${one.id}, ${other.id})`
  const { threads } = await rebuild(db, { apply: true })
  const ids = threads.undecided.filter(({ why }) => /More than one chain/.test(why)).map(({ id }) => id)
  expect(ids.sort()).toEqual([one.id, other.id].sort())
})

it('workflows are made again from their events: version, grants, limits and state', async () => {
  await db.sql`delete from workflows`
  await db.sql`delete from registry_events`
  const source = `export const descriptor = { description: 'd', roles: { greet: { description: 'Greets.', schema: { type: 'object' } } }, graph: { edges: [
    { from: '__start__', to: 'greet', condition: 'FALLBACK', conditionDescription: null },
    { from: 'greet', to: '__end__', condition: 'FALLBACK', conditionDescription: null } ] } }
export async function* run() { return { returnCode: 0, summary: '' } }`
  const grants = { exec: [{ command: 'git', folders: [] }] }
  await addWorkflow(db, { name: 'kept', fileName: 'kept.esm.js', source, grants }, { name: 'ada', role: 'admin' })
  await addWorkflow(db, { name: 'lost', fileName: 'lost.esm.js', source }, { name: 'ada', role: 'admin' })
  await limitWorkflow(db, { name: 'kept', limits: { concurrency: 2, labels: ['gpu'] } }, ACTOR)
  const stored = () => db.sql`select name, current, state, version, grants, limits from workflows order by name`
  const before = await stored()
  expect((await rebuild(db, { apply: false })).workflows).toEqual({ checked: 2, differing: [], undecided: [] })
  await db.sql`delete from workflows where name = 'lost'`
  await db.sql`update workflows set limits = '{"concurrency": 3}', version = 1`
  const { workflows } = await rebuild(db, { apply: true })
  expect(workflows.differing.map(({ id, column }) => `${id} ${column}`)).toEqual([
    'kept version',
    'kept limits',
    'lost name',
  ])
  expect(await stored()).toEqual(before)
})
