import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { nodesStatement } from '@/db/queries/threads/read-nodes'
import { testDatabase } from '@/db/testing/test-database'
import { newThreadId } from '@/server/kernel/ids'
import { readRecords } from './read-records'
import { MAX_RECORD_CONTENT, type ThreadRecord, threadRecordSchema } from './records'
import { type ScriptedThread, scriptedThread } from './testing/scripted-thread'

const db = await testDatabase()

const STEPS = 1_300
let long: ScriptedThread

beforeAll(async () => {
  long = await scriptedThread(db, { prompt: 'a long one' })
  for (let step = 1; step <= STEPS; step++) {
    if (step % 9 === 0) await long.say(`before ${step}`, `still before ${step}`)
    await long.step(step % 2 === 0 ? 'even' : 'odd', `content ${step}`, { step })
  }
  await long.say('the last words')
  await long.end()
}, 60_000)

async function readAll(id: string, limit: number, after: string | null = null): Promise<ThreadRecord[]> {
  const records: ThreadRecord[] = []
  for (let cursor = after; ; ) {
    const page = await readRecords(db, id, cursor, limit)
    records.push(...page.items)
    cursor = page.cursor
    if (page.finished || page.items.length === 0) return records
  }
}

it('a thread reads as start, its steps numbered from 1 in order, and the end, each once', async () => {
  const records = await readAll(long.id, 200)
  expect(records[0]).toMatchObject({ kind: 'start', prompt: 'a long one', input: { n: 1 }, cursor: '0.0.0' })
  const steps = records.filter((record) => record.kind === 'step')
  expect(steps.map((record) => record.step)).toEqual(Array.from({ length: STEPS }, (_, index) => index + 1))
  expect(steps.every((record) => record.content === `content ${record.step}` && record.meta.step === record.step)).toBe(
    true,
  )
  expect(new Set(steps.slice(1).map((record) => record.durationMs))).toEqual(new Set([7]))
  expect(records.at(-1)).toMatchObject({ kind: 'end', status: 'completed', returnCode: 0, steps: STEPS })
  expect(records.filter((record) => record.kind === 'end')).toHaveLength(1)
  for (const record of records) threadRecordSchema.parse(record)
})

it('log lines and events stand among the steps where they were said', async () => {
  const records = await readAll(long.id, 200)
  const line = records.findIndex((record) => record.kind === 'log' && record.text === 'before 900')
  expect(records[line - 1]).toMatchObject({ kind: 'step', step: 899 })
  expect(records[line + 2]).toMatchObject({ kind: 'step', step: 900 })
  expect(records.slice(1, 3)).toMatchObject([{ type: 'queued' }, { type: 'claimed' }])
  expect(records.at(-2)).toMatchObject({ kind: 'status', type: 'finished', status: 'completed' })
})

it('any split into pages gives the same sequence as one read', async () => {
  const whole = await readAll(long.id, 200)
  const sizes = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 8 })
  const places = fc.integer({ min: 0, max: whole.length - 1 })
  await fc.assert(
    fc.asyncProperty(sizes, places, async (limits, place) => {
      const paged: ThreadRecord[] = []
      let cursor = whole[place]?.cursor ?? null
      for (const limit of limits) {
        const page = await readRecords(db, long.id, cursor, limit)
        paged.push(...page.items)
        cursor = page.cursor
      }
      expect(paged).toEqual(whole.slice(place + 1, place + 1 + paged.length))
      const asked = limits.reduce((sum, limit) => sum + limit, 0)
      expect(paged).toHaveLength(Math.min(asked, whole.length - place - 1))
    }),
    { numRuns: 40 },
  )
})

it('a reader that follows a thread while it runs gets what a later reader gets, whenever it looks', async () => {
  const looks = fc.array(fc.constantFrom('step', 'say', 'look', 'look-one'), { minLength: 5, maxLength: 25 })
  await fc.assert(
    fc.asyncProperty(looks, async (script) => {
      const thread = await scriptedThread(db)
      const followed: ThreadRecord[] = []
      let cursor: string | null = null
      const look = async (limit: number) => {
        const page = await readRecords(db, thread.id, cursor, limit)
        followed.push(...page.items)
        cursor = page.cursor
        return page.finished
      }
      for (const [index, act] of script.entries()) {
        if (act === 'step') await thread.step('role', `content ${index}`)
        else if (act === 'say') await thread.say(`line ${index}`)
        else await look(act === 'look' ? 200 : 1)
      }
      await thread.end(1)
      while (!(await look(2)));
      expect(followed).toEqual(await readAll(thread.id, 200))
    }),
    { numRuns: 15 },
  )
})

it('a page of a long thread reads few nodes, by index only', async () => {
  const [thread] = await db.sql<
    { head: string; height: number }[]
  >`select head, height from threads where id = ${long.id}`
  if (thread === undefined) throw new Error('the thread is there')
  const range = { head: thread.head, headHeight: thread.height, after: 5, limit: 20, contentLimit: 100 }
  const statement = nodesStatement(db, range)
  const rows = await db.sql<{ 'QUERY PLAN': string }[]>`explain (analyze, costs off, timing off) ${statement}`
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  expect(plan).not.toContain('Seq Scan')
  const loops = [...plan.matchAll(/Index (?:Only )?Scan.*loops=(\d+)/g)].map((match) => Number(match[1]))
  // 21 nodes of the page twice, their contents, and at most 11 + 1,300 / 1,024 jumps twice.
  expect(loops.reduce((sum, count) => sum + count, 0)).toBeLessThan(100)
})

it('markers do not show and do not count, and an end that was retried is not the end', async () => {
  const thread = await scriptedThread(db)
  await thread.step('plan', 'one')
  await thread.step('__fork__', '', { sourceThread: 'x', at: 'y', overrides: {} })
  await thread.step('__end__', 'first end', { returnCode: 1, summary: 'failed' })
  await thread.step('__retry__', '')
  await thread.step('plan', 'two')
  const before = await readAll(thread.id, 3)
  expect(before.filter((record) => record.kind === 'step').map((record) => [record.step, record.content])).toEqual([
    [1, 'one'],
    [2, 'two'],
  ])
  await thread.end()
  const after = await readAll(thread.id, 200)
  expect(after.filter((record) => record.kind === 'end')).toMatchObject([{ steps: 2, status: 'completed' }])
  const [rest] = await readAll(thread.id, 200, '3.2.0')
  expect(rest).toMatchObject({ kind: 'step', step: 2, height: 5 })
})

it('a long content is cut in the record, which says so', async () => {
  const thread = await scriptedThread(db)
  await thread.step('role', 'x'.repeat(MAX_RECORD_CONTENT * 3))
  const [step] = (await readAll(thread.id, 200)).filter((record) => record.kind === 'step')
  expect(step).toMatchObject({ contentTruncated: true })
  expect(step?.kind === 'step' && step.content.length).toBeGreaterThan(MAX_RECORD_CONTENT - 100)
})

it('a thread that does not exist, and a cursor beyond a thread, are typed errors', async () => {
  await expect(readRecords(db, newThreadId(), null, 10)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(readRecords(db, long.id, '9999.0.0', 10)).rejects.toMatchObject({ code: 'BAD_INPUT' })
})
