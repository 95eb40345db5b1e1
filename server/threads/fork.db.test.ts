import { describe, expect, it } from 'vitest'
import { bundles, workflows } from '@/db/schema/registry'
import { testDatabase } from '@/db/testing/test-database'
import { digestOf, hashBytes, initHash } from '@/server/cas/hash'
import { putContent } from '@/server/cas/put'
import { verifyThread } from '@/server/cas/verify'
import type { ThreadId } from '@/server/kernel/ids'
import { controlThread } from './control/control'
import { removeThread } from './control/remove'
import { retryThread } from './control/retry'
import { forkThread } from './fork'
import { getThread } from './get'
import { readRecords } from './read-records'
import { type ScriptedThread, scriptedThread } from './testing/scripted-thread'

const db = await testDatabase()
await initHash()
const ACTOR = { name: 'key:test', origin: 'api' } as const
const VERSIONS = ['bundle of scripted', 'the second version']
const [FIRST, SECOND] = VERSIONS.map((source) => hashBytes(source))
const META = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
for (const source of VERSIONS) {
  const descriptor = { description: 'd', roles: { worker: { description: 'w', schema: META } }, graph: { edges: [] } }
  await db.orm
    .insert(bundles)
    .values({ hash: hashBytes(source), source, digest: digestOf(source, []), descriptor, size: source.length })
}
await db.orm
  .insert(workflows)
  .values({ name: 'scripted', current: SECOND ?? '', version: 1, limits: {}, grants: { exec: [] } })

/** The next claim is for the new thread, and not for the forks of the tests before. */
async function newThread(prompt = 'do it'): Promise<ScriptedThread> {
  await db.sql`update threads set available_at = 'infinity' where status = 'queued'`
  return scriptedThread(db, { prompt })
}

async function threadOf(steps: number): Promise<ScriptedThread> {
  const thread = await newThread()
  for (let n = 1; n <= steps; n++) await thread.step(n % 2 === 0 ? 'checker' : 'worker', `step ${n}`, { n })
  return thread
}

/** Contents of the steps, as the records show them. */
async function stepsOf(id: string): Promise<string[]> {
  const { items } = await readRecords(db, id, null, 200)
  return items.flatMap((item) => (item.kind === 'step' ? [item.content] : []))
}

async function expectSound(id: ThreadId) {
  expect((await verifyThread(db, id)).findings).toEqual([])
}

const upTo = (steps: number) => Array.from({ length: steps }, (_, at) => `step ${at + 1}`)

describe('a fork', () => {
  it('shares all steps but the last, the start node too, and is a thread of its own', async () => {
    const source = await threadOf(3)
    const fork = await forkThread(db, { id: source.id }, ACTOR)
    expect(fork).toMatchObject({ status: 'queued', sharedSteps: 2 })
    const [a, b] = [await getThread(db, source.id), await getThread(db, fork.id)]
    expect(b).toMatchObject({
      sourceThread: source.id,
      parentThread: null,
      start: a.start,
      steps: 2,
      height: 3,
      head: fork.head,
      actor: 'key:test',
      tags: a.tags,
    })
    expect(a.status).toBe('running')
    expect(await stepsOf(fork.id)).toEqual(upTo(2))
    await expectSound(fork.id)
    await source.end(0)
    expect((await getThread(db, fork.id)).status).toBe('queued')
  })

  it.each([0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 20])(
    'at step %i of 20, with and without a step of its own, is a history that verifies',
    async (step) => {
      const source = await threadOf(20)
      const plain = await forkThread(db, { id: source.id, at: { step } }, ACTOR)
      const own = { role: 'worker', content: 'as if', meta: { n: 0 } }
      const injected = await forkThread(db, { id: source.id, at: { step }, overrides: { step: own } }, ACTOR)
      expect([plain.sharedSteps, injected.sharedSteps]).toEqual([step, step])
      expect(await stepsOf(plain.id)).toEqual(upTo(step))
      expect(await stepsOf(injected.id)).toEqual([...upTo(step), 'as if'])
      expect(await getThread(db, injected.id)).toMatchObject({ steps: step + 1, height: step + 2 })
      await expectSound(plain.id)
      await expectSound(injected.id)
    },
  )

  it.each([
    [{ role: 'worker' }, 5],
    [{ role: 'worker', run: 1 }, 1],
    [{ role: 'worker', run: 2 }, 3],
    [{ role: 'checker' }, 4],
  ])('is taken at %j', async (at, shared) => {
    const { id } = await threadOf(5)
    expect((await forkThread(db, { id, at }, ACTOR)).sharedSteps).toBe(shared)
  })

  it('is taken at the node of a hash, and at the start node', async () => {
    const source = await newThread()
    const first = await source.step('worker', 'step 1')
    await source.step('worker', 'step 2')
    expect((await forkThread(db, { id: source.id, at: { hash: first } }, ACTOR)).sharedSteps).toBe(1)
    const { start } = await getThread(db, source.id)
    expect((await forkThread(db, { id: source.id, at: { hash: start } }, ACTOR)).sharedSteps).toBe(0)
  })

  it.each([
    [{ step: 4 }, 'at.step'],
    [{ role: 'nobody' }, 'at.role'],
    [{ role: 'worker', run: 3 }, 'at.role'],
    [{ hash: hashBytes('elsewhere') }, 'at.hash'],
  ])('at %j, which the source does not have, is refused', async (at, field) => {
    const { id } = await threadOf(3)
    await expect(forkThread(db, { id, at }, ACTOR)).rejects.toMatchObject({ code: 'BAD_INPUT', data: { field } })
  })

  it('at a node of another thread, or at an end, is refused', async () => {
    const [source, other] = [await threadOf(3), await newThread('another')]
    await other.step('worker', 'first')
    const foreign = await other.step('worker', 'second')
    await expect(forkThread(db, { id: source.id, at: { hash: foreign } }, ACTOR)).rejects.toMatchObject({
      code: 'BAD_INPUT',
    })
    await source.end(1)
    const { head } = await getThread(db, source.id)
    await expect(forkThread(db, { id: source.id, at: { hash: head } }, ACTOR)).rejects.toMatchObject({
      data: { field: 'at.hash' },
    })
  })

  it('of a fork, and of a thread that was retried, counts steps and no markers', async () => {
    const source = await threadOf(3)
    await source.end(1)
    await retryThread(db, { id: source.id }, ACTOR)
    const first = await forkThread(db, { id: source.id, at: { step: 3 } }, ACTOR)
    const own = { role: 'worker', content: 'step 4', meta: { n: 4 } }
    const second = await forkThread(db, { id: first.id, at: { step: 3 }, overrides: { step: own } }, ACTOR)
    for (const step of [0, 1, 2, 3, 4]) {
      const third = await forkThread(db, { id: second.id, at: { step } }, ACTOR)
      expect([third.sharedSteps, await stepsOf(third.id)]).toEqual([step, upTo(step)])
      await expectSound(third.id)
    }
    expect((await forkThread(db, { id: second.id, at: { role: 'worker', run: 3 } }, ACTOR)).sharedSteps).toBe(4)
  })

  it('overrides prompt, input, version and rounds in a start node of its own', async () => {
    const { id } = await threadOf(2)
    const overrides = { prompt: 'do it better', input: { n: 2 }, workflow: `scripted`, maxRounds: 7 }
    const fork = await forkThread(db, { id, at: { step: 1 }, overrides, tags: ['second'], reason: 'try again' }, ACTOR)
    const thread = await getThread(db, fork.id)
    expect(thread).toMatchObject({
      prompt: 'do it better',
      excerpt: 'do it better',
      input: { n: 2 },
      bundle: SECOND,
      maxRounds: 7,
      tags: ['second'],
      steps: 1,
    })
    expect((await getThread(db, id)).bundle).toBe(FIRST)
    expect(await stepsOf(fork.id)).toEqual(['step 1'])
    await expectSound(fork.id)
    const { items } = await readRecords(db, fork.id, null, 50)
    expect(items.at(-1)).toMatchObject({ kind: 'status', type: 'forked', actor: 'key:test', reason: 'try again' })
    const again = await forkThread(db, { id: fork.id, overrides: { prompt: 'do it better' } }, ACTOR)
    expect((await getThread(db, again.id)).start).toBe(thread.start)
  })

  it('says in its marker where it comes from, and who wrote the step that no role returned', async () => {
    const { id } = await threadOf(2)
    const artifact = await putContent(db, 'an artifact', [])
    const step = { role: 'worker', content: 'as if', meta: { n: 1 }, refs: [artifact] }
    const fork = await forkThread(db, { id, overrides: { step } }, ACTOR)
    const [marker] = await db.sql<{ meta: unknown }[]>`
      select m.body::json->'payload'->'meta' as meta from state_nodes h join state_nodes m on m.hash = h.parent where h.hash = ${fork.head}`
    const { forkedAt } = await getThread(db, fork.id)
    expect(marker?.meta).toEqual({
      sourceThread: id,
      at: forkedAt,
      overrides: { step: { role: 'worker', author: 'key:test' } },
    })
    const { items } = await readRecords(db, fork.id, null, 50)
    expect(items.findLast((item) => item.kind === 'step')).toMatchObject({ content: 'as if', refs: [artifact] })
  })

  it.each([
    [{ role: 'nobody', content: '', meta: { n: 1 } }, 'overrides.step.role'],
    [{ role: 'worker', content: '', meta: { n: 'one' } }, 'overrides.step.meta.n'],
  ])('refuses the step %j, which the role could not have returned', async (step, field) => {
    const { id } = await threadOf(1)
    await expect(forkThread(db, { id, overrides: { step } }, ACTOR)).rejects.toMatchObject({
      code: 'BAD_INPUT',
      data: { field },
    })
  })

  it('runs no other workflow, and none that was removed', async () => {
    const { id } = await threadOf(1)
    await db.orm
      .insert(workflows)
      .values({ name: 'other', current: SECOND ?? '', version: 1, limits: {}, grants: { exec: [] } })
    await expect(forkThread(db, { id, overrides: { workflow: 'other' } }, ACTOR)).rejects.toMatchObject({
      code: 'BAD_INPUT',
    })
    await db.sql`update workflows set state = 'removed' where name = 'scripted'`
    await expect(forkThread(db, { id }, ACTOR)).rejects.toMatchObject({ code: 'CONFLICT' })
    await db.sql`update workflows set state = 'active' where name = 'scripted'`
  })

  it('is refused when the queue of its workflow is full', async () => {
    const { id } = await threadOf(1)
    await db.sql`update workflows set limits = '{"queueDepth": 1}' where name = 'scripted'`
    const refused = { code: 'LIMIT_EXCEEDED', data: { limit: 'queueDepth' } }
    await expect(forkThread(db, { id }, ACTOR)).rejects.toMatchObject(refused)
    await db.sql`update workflows set limits = '{}' where name = 'scripted'`
  })

  it('stands when its source is removed, and a source that is gone cannot be forked', async () => {
    const source = await threadOf(2)
    const fork = await forkThread(db, { id: source.id, at: { step: 2 } }, ACTOR)
    await source.end(0)
    await removeThread(db, { id: source.id }, ACTOR)
    expect(await stepsOf(fork.id)).toEqual(upTo(2))
    await expectSound(fork.id)
    await expect(forkThread(db, { id: source.id }, ACTOR)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it('of a child is nobody’s child, and has the depth of its start node', async () => {
    const [parent, child] = [await threadOf(1), await threadOf(1)]
    await db.sql`update threads set parent_thread = ${parent.id} where id = ${child.id}`
    const fork = await forkThread(db, { id: child.id }, ACTOR)
    expect(await getThread(db, fork.id)).toMatchObject({ parentThread: null, sourceThread: child.id, depth: 0 })
  })

  it('costs one row, one event, one marker and its empty content, however long the history is', async () => {
    const source = await threadOf(40)
    const count = async () => {
      const [row] = await db.sql<Record<string, number>[]>`
        select (select count(*)::int from state_nodes) as nodes, (select count(*)::int from start_nodes) as starts,
          (select count(*)::int from threads) as threads, (select count(*)::int from thread_events) as events`
      return row ?? {}
    }
    await forkThread(db, { id: source.id, at: { step: 7 } }, ACTOR)
    const before = await count()
    await forkThread(db, { id: source.id, at: { step: 8 } }, ACTOR)
    const after = await count()
    const grown = Object.fromEntries(Object.entries(after).map(([name, n]) => [name, n - (before[name] ?? 0)]))
    expect(grown).toEqual({ nodes: 1, starts: 0, threads: 1, events: 1 })
  })

  it('is killed and retried like any other thread', async () => {
    const { id } = await threadOf(3)
    const fork = await forkThread(db, { id, at: { step: 2 } }, ACTOR)
    await controlThread(db, { id: fork.id, command: 'kill' }, ACTOR)
    expect(await retryThread(db, { id: fork.id }, ACTOR)).toMatchObject({ status: 'queued' })
    expect(await getThread(db, fork.id)).toMatchObject({ steps: 2, height: 5 })
    await expectSound(fork.id)
  })
})
