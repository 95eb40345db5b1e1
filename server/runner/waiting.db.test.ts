import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '@/db/testing/test-database'
import { controlThread } from '@/server/threads/control/control'
import { removeThread } from '@/server/threads/control/remove'
import { giveInput } from '@/server/threads/input'
import { startThread } from '@/server/threads/start'
import { begin, bundleOf, COUNTER, installBundle } from './testing/bundles'
import { startLocalRunner } from './testing/local-runner'
import { chainOf, expectEndNode, factsOf, untilEnded } from './testing/thread-facts'
import { until } from './testing/until'

const db = await testDatabase()
const ACTOR = { name: 'ada', origin: 'api', role: 'owner' } as const
let local: Awaited<ReturnType<typeof startLocalRunner>>

/** Starts input.children counters, one of which fails when input.failing, and waits for them by input.mode. */
const PARENT = bundleOf(`
  const { children, mode, failing, ms } = thread.start.input
  if (thread.steps.length === 0) {
    const ids = []
    for (let n = 0; n < children; n++) {
      const workflow = failing === n ? 'failing' : 'counter'
      ids.push((await runtime.startThread({ workflow, prompt: 'child ' + n, input: { steps: 2, ms: ms * n } })).threadId)
    }
    const { outcomes, group } = await runtime.wait({ threads: ids, mode })
    const contentHash = await runtime.cas.put(JSON.stringify(outcomes))
    yield { role: 'work', contentHash, meta: { ended: outcomes.length, good: outcomes.filter((o) => o.status === 'completed').length, ids }, refs: [], childThread: group }
  }
  return { returnCode: 0, summary: 'gathered' }`)

beforeAll(async () => {
  await installBundle(db, 'counter', COUNTER)
  await installBundle(db, 'failing', bundleOf(`throw new Error('no luck')`))
  await installBundle(db, 'parent', PARENT)
  await installBundle(
    db,
    'recursive',
    bundleOf(`
      const { threadId } = await runtime.startThread({ workflow: 'recursive', prompt: 'deeper' })
      const { outcomes } = await runtime.wait({ thread: threadId })
      return { returnCode: outcomes[0].returnCode, summary: outcomes[0].summary }`),
  )
  await installBundle(
    db,
    'sleeper',
    bundleOf(`
      if (thread.steps.length === 0) {
        await runtime.wait({ until: thread.start.timestamp + thread.start.input.ms })
        yield await say(1, 'awake')
      }
      return { returnCode: 0, summary: 'slept' }`),
  )
  await installBundle(
    db,
    'asks',
    bundleOf(`
      if (thread.steps.length === 0) {
        const subject = await runtime.cas.put('the plan')
        const input = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] }
        const answer = await runtime.wait({ input, prompt: 'Is it good?', name: 'approval', subject, timeoutSeconds: thread.start.input.seconds })
        yield await say(1, JSON.stringify(answer))
      }
      return { returnCode: 0, summary: 'asked' }`),
  )
  local = await startLocalRunner(db.url)
})
afterAll(() => local.stop())

async function eventsOf(id: string): Promise<string[]> {
  const rows = await db.sql<{ type: string }[]>`select type from thread_events where thread = ${id} order by seq`
  return rows.map((row) => row.type)
}
const untilStatus = (id: string, status: string) =>
  until(
    () => factsOf(db, id),
    (facts) => facts.status === status,
  )
const childrenOf = (id: string) =>
  db.sql<{ id: string; status: string; head: string; depth: number; summary: string }[]>`
    select id, status, head, depth, summary from threads where parent_thread = ${id} order by id`

test('a parent waits for its child without a process, and its step names the end of the child', async () => {
  const id = await begin(db, 'parent', { children: 1, mode: 'all', failing: null, ms: 10 })
  expect(await untilEnded(db, id)).toMatchObject({ status: 'completed', steps: 1, crashes: 0 })
  const [child] = await childrenOf(id)
  expect(child).toMatchObject({ status: 'completed', depth: 1 })
  const [step] = await db.sql<{ child_thread: string }[]>`
    select s.child_thread from threads t join state_nodes e on e.hash = t.head join state_nodes s on s.hash = e.parent where t.id = ${id}`
  expect(step?.child_thread).toBe(child?.head)
  expect(await eventsOf(id)).toEqual(['queued', 'claimed', 'waiting', 'woken', 'claimed', 'finished'])
  await expectEndNode(db, id)
})

test('several children at once are linked by a group node, and verify walks into them', async () => {
  const id = await begin(db, 'parent', { children: 3, mode: 'all', failing: 1, ms: 5 })
  expect(await untilEnded(db, id)).toMatchObject({ status: 'completed', steps: 1 })
  expect((await chainOf(db, id))[0]?.meta.ended).toBe(3)
  const [group] = await db.sql<{ type: string; refs: string[] }[]>`
    select b.type, b.refs from threads t join state_nodes e on e.hash = t.head join state_nodes s on s.hash = e.parent
      join blobs b on b.hash = s.child_thread where t.id = ${id}`
  expect(group).toMatchObject({ type: 'group', refs: (await childrenOf(id)).map((child) => child.head) })
  await expectEndNode(db, id)
})

test('any goes on with the first end, success with the first success; children that are left are ended with their parent', async () => {
  const any = await begin(db, 'parent', { children: 2, mode: 'any', failing: 0, ms: 60_000 })
  const success = await begin(db, 'parent', { children: 3, mode: 'success', failing: 0, ms: 300 })
  await untilEnded(db, any)
  await untilEnded(db, success)
  expect((await chainOf(db, any))[0]?.meta.ended).toBe(1)
  expect((await chainOf(db, success))[0]?.meta.good).toBe(1)
  const left = await until(
    () => childrenOf(any),
    (children) => children.every((child) => ['failed', 'killed'].includes(child.status)),
  )
  expect(left.map((child) => child.status)).toEqual(['failed', 'killed'])
  expect(left[1]?.summary).toContain(`its parent ${any} ended as completed`)
})

test('a thread deeper than maxDepth is refused, and the refusal ends the chain of callers', async () => {
  const id = await begin(db, 'recursive')
  expect(await untilEnded(db, id)).toMatchObject({ status: 'failed', summary: expect.stringContaining('maxDepth') })
  const depths = await db.sql<
    { depth: number }[]
  >`select depth from threads where workflow = 'recursive' order by depth`
  expect(depths.map((row) => row.depth)).toEqual([0, 1, 2, 3])
})

test('a child is given no more rounds than a thread may have', async () => {
  await installBundle(
    db,
    'greedy',
    bundleOf(`await runtime.startThread({ workflow: 'counter', prompt: 'p', maxRounds: 2 ** 40 })`),
  )
  const id = await begin(db, 'greedy')
  expect(await untilEnded(db, id)).toMatchObject({ summary: expect.stringMatching(/^LIMIT_EXCEEDED: .*maxRounds/) })
  expect(await childrenOf(id)).toEqual([])
})

test('killing a parent kills its descendants', async () => {
  const id = await begin(db, 'parent', { children: 2, mode: 'all', failing: null, ms: 60_000 })
  await untilStatus(id, 'waiting')
  await controlThread(db, { id, command: 'kill', reason: 'enough' }, ACTOR)
  const children = await until(
    () => childrenOf(id),
    (rows) => rows.every((child) => ['completed', 'killed'].includes(child.status)),
  )
  expect(children.map((child) => child.status)).toContain('killed')
})

test('a wait until a time holds no runner and ends at that time', async () => {
  const id = await begin(db, 'sleeper', { ms: 1_500 })
  await untilStatus(id, 'waiting')
  const far = await begin(db, 'sleeper', { ms: 20 * 365 * 24 * 3600 * 1000 })
  await untilStatus(far, 'waiting')
  expect(await untilEnded(db, id)).toMatchObject({ status: 'completed', steps: 1 })
  expect(await factsOf(db, far)).toMatchObject({ status: 'waiting', runner: null })
  const [row] = await db.sql<{ late: number }[]>`
    select extract(epoch from e.at - w.wake_at) * 1000 as late from waits w join thread_events e on e.thread = w.thread and e.type = 'woken'
    where w.thread = ${id}`
  expect(Number(row?.late)).toBeGreaterThanOrEqual(0)
})

test('a pause while it waits keeps what it waits for: resumed, it waits again', async () => {
  const id = await begin(db, 'sleeper', { ms: 24 * 3600 * 1000 })
  await untilStatus(id, 'waiting')
  await controlThread(db, { id, command: 'pause' }, ACTOR)
  expect(await factsOf(db, id)).toMatchObject({ status: 'paused' })
  await controlThread(db, { id, command: 'resume' }, ACTOR)
  await untilStatus(id, 'waiting')
  expect(await db.sql`select status from waits where thread = ${id}`).toHaveLength(1)
})

test('a child that was removed is not started again when its role runs again', async () => {
  await installBundle(
    db,
    'twice',
    bundleOf(`
      if (thread.steps.length === 0) {
        const { threadId } = await runtime.startThread({ workflow: 'counter', prompt: 'x', input: { steps: 1, ms: 0 } })
        const { outcomes } = await runtime.wait({ thread: threadId })
        await runtime.wait({ input: {}, prompt: 'Go on?' })
        yield await say(1, JSON.stringify([threadId, outcomes[0].threadId]))
      }
      return { returnCode: 0, summary: 'once' }`),
  )
  const id = await begin(db, 'twice')
  await until(
    () => db.sql`select 1 from waits where thread = ${id} and status = 'open' and kind = 'input'`,
    (rows) => rows.length === 1,
  )
  const [child] = await childrenOf(id)
  await removeThread(db, { id: child?.id ?? '' }, ACTOR)
  await giveInput(db, { id, value: true }, ACTOR)
  await untilEnded(db, id)
  expect(await textOf(id)).toEqual([child?.id, child?.id])
  expect(await childrenOf(id)).toEqual([])
})

test('a thread whose only fitting runner is gone goes back to the queue, where commands reach it', async () => {
  await local.stop()
  const special = await startLocalRunner(db.url, { labels: ['gpu'], leaseMs: 60_000 })
  const { id } = await startThread(
    db,
    { workflow: 'counter', prompt: 'x', input: { steps: 500, ms: 50 }, labels: ['gpu'] },
    ACTOR,
  )
  await untilStatus(id, 'running')
  await special.stop()
  // As if it had been killed in the middle of it.
  await db.sql`update threads set status = 'running', runner = 'gone', lease_expires_at = app_now() - interval '1 s' where id = ${id}`
  local = await startLocalRunner(db.url)
  await untilStatus(id, 'queued')
  expect((await eventsOf(id)).at(-1)).toBe('lease_expired')
  await controlThread(db, { id, command: 'kill' }, ACTOR)
  expect(await factsOf(db, id)).toMatchObject({ status: 'killed' })
})

const textOf = async (id: string) => {
  const [row] = await db.sql<{ body: string }[]>`
    select b.body from threads t join state_nodes e on e.hash = t.head join state_nodes s on s.hash = e.parent join blobs b on b.hash = s.content
    where t.id = ${id}`
  return JSON.parse(JSON.parse(row?.body ?? '').payload)
}
const subjectOf = async (id: string) => {
  const [row] = await db.sql<{ subject: string }[]>`select subject from waits where thread = ${id}`
  return row?.subject
}

test('an approval is asked for with what it is about, which is stored, and continues the thread at once when given', async () => {
  const id = await begin(db, 'asks', { seconds: 3600 })
  await untilStatus(id, 'waiting')
  const subject = await subjectOf(id)
  expect(await db.sql`select 1 from blobs where hash = ${subject ?? ''}`).toHaveLength(1)
  const gift = { id, name: 'approval', subject, value: { ok: true } }
  await expect(giveInput(db, { ...gift, value: { ok: 'yes' } }, ACTOR)).rejects.toMatchObject({ code: 'BAD_INPUT' })
  expect(await giveInput(db, gift, ACTOR)).toMatchObject({ effect: 'answered' })
  await untilEnded(db, id)
  expect(await textOf(id)).toEqual({ answered: true, value: { ok: true }, by: 'ada' })
})

test('an answer that came before the question is taken when it fits, and told of when it does not', async () => {
  const first = await begin(db, 'asks', { seconds: 3600 })
  await untilStatus(first, 'waiting')
  const subject = await subjectOf(first)
  await local.stop()
  const id = await begin(db, 'asks', { seconds: 3600 })
  for (const value of [{ ok: 'maybe' }, { ok: false }]) {
    const gift = { id, name: 'approval', subject, value }
    expect(await giveInput(db, gift, ACTOR)).toMatchObject({ effect: 'stored' })
  }
  local = await startLocalRunner(db.url)
  await untilEnded(db, id)
  expect(await textOf(id)).toEqual({ answered: true, value: { ok: false }, by: 'ada' })
  expect(await eventsOf(id)).toEqual(['queued', 'input', 'input', 'claimed', 'input_rejected', 'finished'])
})

test('a question that nobody answers in its time goes on without an answer', async () => {
  const id = await begin(db, 'asks', { seconds: 1 })
  await untilEnded(db, id)
  expect(await textOf(id)).toEqual({ answered: false, reason: 'timeout' })
})
