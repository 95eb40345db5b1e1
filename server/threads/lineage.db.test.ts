import { describe, expect, it } from 'vitest'
import { claimThreads } from '@/db/queries/threads/claim-threads'
import { workflows } from '@/db/schema/registry'
import { testDatabase } from '@/db/testing/test-database'
import { hashBytes, initHash } from '@/server/cas/hash'
import { killThread } from './control/end-thread'
import { removeThread } from './control/remove'
import { forkThread } from './fork'
import { getThread } from './get'
import { callStack, listChildren, listForks } from './lineage'
import { readThreadLogs } from './logs'
import { startThread } from './start'
import { scriptedThread } from './testing/scripted-thread'
import type { ChildTree } from './views'

const db = await testDatabase()
await initHash()
const ACTOR = { name: 'key:test', origin: 'api' } as const
const current = hashBytes('bundle of scripted')
await db.orm.insert(workflows).values({ name: 'scripted', current, version: 1, limits: {}, grants: { exec: [] } })

/** A child, called by a thread that this test has claimed, at its head. */
async function call(parent: string): Promise<string> {
  const [row] = await db.sql<{ token: number; head: string; depth: number }[]>`
    select lease_token as token, head, depth from threads where id = ${parent}`
  const { token = 0, head = '', depth = 0 } = row ?? {}
  const above = { thread: parent, token, state: head, depth }
  return (await startThread(db, { workflow: 'scripted', prompt: 'help' }, { ...ACTOR, origin: 'api' }, above)).id
}

async function claimAll() {
  await claimThreads(db, { runner: 'runner-of-the-test', capacity: 100, leaseMs: 3_600_000, sweep: false })
}

/** Held by the test: what is in the queue is claimed first. */
async function newThread() {
  await claimAll()
  return scriptedThread(db)
}

const shape = (tree: ChildTree): unknown[] => [tree.thread.id, ...tree.children.map(shape)]

describe('the call stack', () => {
  it('reads up to the first caller, with the steps after which it was called, and down to the last child', async () => {
    const top = await newThread()
    const early = await call(top.id)
    await top.step('planner', 'a plan')
    const node = (await getThread(db, top.id)).head
    const middle = await call(top.id)
    await claimAll()
    const [first, second] = [await call(middle), await call(middle)]
    const stack = await callStack(db, second)
    expect(stack.up.map(({ thread, calledAt }) => [thread.id, calledAt])).toEqual([
      [top.id, { hash: node, step: 1, role: 'planner' }],
      [middle, null],
    ])
    expect((await callStack(db, top.id)).down.map(shape)).toEqual([[early], [middle, [first], [second]]])
    await killThread(db, { id: second, actor: 'key:test', reason: null })
    const [ended] = (await listChildren(db, { id: middle, limit: 1 })).items
    expect(ended).toMatchObject({
      id: second,
      status: 'killed',
      end: ended === undefined ? '' : (await getThread(db, second)).head,
    })
    const rest = await listChildren(db, { id: middle, limit: 1, cursor: second })
    expect(rest).toMatchObject({ items: [{ id: first, end: null }], nextCursor: null })
  })

  it('of a child whose caller was removed begins with the child', async () => {
    const top = await newThread()
    const child = await call(top.id)
    await top.end(0)
    await removeThread(db, { id: top.id }, ACTOR)
    expect(await callStack(db, child)).toEqual({ up: [], down: [] })
  })

  it('shows 50 children of one thread, and says that there are more', async () => {
    const top = await newThread()
    const middle = await call(top.id)
    await claimAll()
    for (let n = 0; n < 51; n++) await call(middle)
    const [tree] = (await callStack(db, top.id)).down
    expect([tree?.children.length, tree?.more]).toEqual([50, true])
    expect((await listChildren(db, { id: middle, limit: 100 })).items).toHaveLength(51)
  })
})

it('forks of a thread are listed, newest first', async () => {
  const source = await newThread()
  await source.step('worker', 'one')
  const forks = []
  for (let n = 0; n < 3; n++) forks.push((await forkThread(db, { id: source.id }, ACTOR)).id)
  const page = await listForks(db, { id: source.id, limit: 2 })
  const rest = await listForks(db, { id: source.id, limit: 2, cursor: page.nextCursor ?? undefined })
  expect([...page.items, ...rest.items].map(({ id }) => id)).toEqual(forks.reverse())
})

it('log lines come in pages, from a level up, until the thread has ended', async () => {
  const thread = await newThread()
  await thread.say('one', 'two', 'three')
  await db.sql`update thread_logs set level = 'warn' where thread = ${thread.id} and seq <> 2`
  const first = await readThreadLogs(db, { id: thread.id, limit: 2 })
  expect([first.items.map(({ text }) => text), first.cursor, first.finished]).toEqual([['one', 'two'], 2, false])
  await thread.end(0)
  expect(await readThreadLogs(db, { id: thread.id, after: 2, limit: 2 })).toMatchObject({
    items: [{ text: 'three' }],
    finished: true,
  })
  const grave = await readThreadLogs(db, { id: thread.id, level: 'warn', limit: 10 })
  expect(grave.items.map(({ text }) => text)).toEqual(['one', 'three'])
  expect(await readThreadLogs(db, { id: thread.id, level: 'error', limit: 10 })).toEqual({
    items: [],
    cursor: null,
    finished: true,
  })
  await expect(readThreadLogs(db, { id: '01ARZ3NDEKTSV4RRFFQ69G5FAV', limit: 1 })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  })
})
