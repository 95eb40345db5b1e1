import { beforeAll, expect, it } from 'vitest'
import { testDatabase } from '@/db/testing/test-database'
import { newThreadId } from '@/server/kernel/ids'
import { getThread } from './get'
import { listThreads, type ThreadListQuery } from './list'
import { type ScriptedThread, scriptedThread } from './testing/scripted-thread'

const db = await testDatabase()
const threads: ScriptedThread[] = []

beforeAll(async () => {
  for (let n = 0; n < 12; n++) {
    const thread = await scriptedThread(db, {
      workflow: n % 2 === 0 ? 'even' : 'odd',
      prompt: n === 5 ? 'Percent 100%_done \\o/' : `Number ${n}`,
      tags: n % 3 === 0 ? ['third', 'x'] : ['x'],
      actor: n < 4 ? 'ada' : 'ben',
    })
    await thread.step('role', `content ${n}`)
    if (n % 4 === 0) await thread.end(n === 0 ? 0 : 1)
    threads.push(thread)
  }
  threads.push(await scriptedThread(db, { workflow: 'odd', prompt: 'Waits', queued: true }))
})

/** Numbers of the threads, in the order of the answer. */
async function numbers(query: Omit<ThreadListQuery, 'limit'>): Promise<number[]> {
  const { items } = await listThreads(db, { ...query, limit: 200 })
  return items.map((item) => threads.findIndex((thread) => thread.id === item.id))
}

it('the list is newest first, and every filter narrows it', async () => {
  expect(await numbers({})).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
  expect(await numbers({ workflow: 'odd' })).toEqual([12, 11, 9, 7, 5, 3, 1])
  expect(await numbers({ status: ['completed'] })).toEqual([0])
  expect(await numbers({ status: ['completed', 'failed', 'queued', 'failed'] })).toEqual([12, 8, 4, 0])
  expect(await numbers({ status: [] })).toHaveLength(13)
  expect(await numbers({ actor: 'ada' })).toEqual([3, 2, 1, 0])
  expect(await numbers({ tag: 'third' })).toEqual([9, 6, 3, 0])
  expect(await numbers({ workflow: 'even', tag: 'third', status: ['running'], actor: 'ben' })).toEqual([6])
})

it('text finds a part of the prompt in any case, and takes pattern characters literally', async () => {
  expect(await numbers({ text: 'NUMBER 1' })).toEqual([11, 10, 1])
  expect(await numbers({ text: '100%_done \\O/' })).toEqual([5])
  expect(await numbers({ text: '%' })).toEqual([5])
  expect(await numbers({ text: '_' })).toEqual([5])
})

it('pages join to the whole list, and threads started meanwhile do not shift them', async () => {
  const joined: string[] = []
  let cursor: string | undefined
  do {
    const page = await listThreads(db, { workflow: 'odd', cursor, limit: 2 })
    if (joined.length === 2) await scriptedThread(db, { workflow: 'odd-too', queued: true })
    joined.push(...page.items.map((item) => item.id))
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  expect(joined.map((id) => threads.findIndex((thread) => thread.id === id))).toEqual([12, 11, 9, 7, 5, 3, 1])
})

it('a page that is exactly full and last has no next one', async () => {
  expect((await listThreads(db, { actor: 'ada', limit: 4 })).nextCursor).toBeNull()
})

it('a thread in detail has its whole prompt, input and result', async () => {
  const thread = threads[4]
  if (thread === undefined) throw new Error('made above')
  expect(await getThread(db, thread.id)).toMatchObject({
    id: thread.id,
    status: 'failed',
    prompt: 'Number 4',
    input: { n: 1 },
    steps: 1,
    height: 2,
    returnCode: 1,
    summary: 'ended with 1',
    runner: null,
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  })
})

it('a thread that does not exist is NOT_FOUND', async () => {
  await expect(getThread(db, newThreadId())).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

it('a row says what its thread waits for, also while it is paused, and not what it waited for at an earlier step', async () => {
  const [waits, paused, before] = [threads[1], threads[2], threads[3]]
  if (!waits || !paused || !before) throw new Error('There are too few threads.')
  for (const { id } of [waits, paused, before]) {
    await db.sql`update threads set status = ${id === paused.id ? 'paused' : 'waiting'} where id = ${id}`
    await db.sql`
      insert into waits (thread, key, kind)
      select id, (case id when ${before.id} then start else head end) || '.1', 'input' from threads where id = ${id}`
  }
  const { items } = await listThreads(db, { limit: 200 })
  const said = new Map(items.map((item) => [item.id, item.waitsFor]))
  expect([waits, paused, before, threads[4]].map((thread) => said.get(thread?.id ?? ''))).toEqual([
    'input',
    'input',
    null,
    null,
  ])
})
