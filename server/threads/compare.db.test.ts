import { describe, expect, it } from 'vitest'
import { workflows } from '@/db/schema/registry'
import { testDatabase } from '@/db/testing/test-database'
import { hashBytes, initHash } from '@/server/cas/hash'
import { compareThreads } from './compare'
import { controlThread } from './control/control'
import { retryThread } from './control/retry'
import { forkThread } from './fork'
import { getThread } from './get'
import { type ScriptedThread, scriptedThread } from './testing/scripted-thread'

const db = await testDatabase()
await initHash()
const ACTOR = { name: 'key:test', origin: 'api' } as const
const current = hashBytes('bundle of scripted')
await db.orm.insert(workflows).values({ name: 'scripted', current, version: 1, limits: {}, grants: { exec: [] } })

async function threadOf(contents: string[], role = 'worker'): Promise<ScriptedThread> {
  await db.sql`update threads set available_at = 'infinity' where status = 'queued'`
  const thread = await scriptedThread(db)
  for (const [at, content] of contents.entries()) await thread.step(role, content, { n: at })
  return thread
}

const numbered = (steps: number) => Array.from({ length: steps }, (_, at) => `step ${at + 1}`)

describe('the comparison of two threads', () => {
  it.each([0, 1, 2, 3, 7, 8, 15, 30, 31])('finds that a fork at step %i of 31 parts there', async (step) => {
    const { id } = await threadOf(numbered(31))
    const fork = await forkThread(db, { id, at: { step } }, ACTOR)
    const { shared, rows, next, identical } = await compareThreads(db, { a: id, b: fork.id, limit: 50 })
    expect([shared.steps, shared.hash]).toEqual([step, (await getThread(db, fork.id)).forkedAt])
    expect(rows.map((row) => row.step)).toEqual(
      numbered(31)
        .slice(step)
        .map((_, at) => step + at + 1),
    )
    expect(rows.every((row) => row.b === null && row.differs.join() === 'missing')).toBe(true)
    expect([next, identical]).toEqual([null, step === 31])
  })

  it('says of each step what differs: role, meta, content', async () => {
    const [left, right] = [await threadOf(['same', 'one']), await threadOf(['same', 'two'])]
    await left.step('worker', 'x', { n: 1, a: [1] })
    await right.step('checker', 'x', { a: [1], n: 1 })
    await left.step('worker', 'y', { n: 1 })
    await right.step('worker', 'y', { n: 2 })
    const { rows, shared } = await compareThreads(db, { a: left.id, b: right.id, limit: 50 })
    expect(shared).toEqual({ steps: 0, height: 0, hash: null })
    expect(rows.map((row) => row.differs)).toEqual([[], ['content'], ['role'], ['meta']])
    expect(rows[1]).toMatchObject({ step: 2, a: { content: 'one' }, b: { content: 'two' } })
  })

  it('comes in pages that are the whole, and counts steps over markers', async () => {
    const source = await threadOf(numbered(6))
    await source.end(1)
    await retryThread(db, { id: source.id }, ACTOR)
    const fork = await forkThread(db, { id: source.id, at: { step: 6 } }, ACTOR)
    const second = await forkThread(db, { id: fork.id, at: { step: 2 } }, ACTOR)
    const pages: number[][] = []
    for (let after: number | undefined; ; ) {
      const page = await compareThreads(db, { a: fork.id, b: second.id, limit: 3, after })
      pages.push(page.rows.map((row) => row.step))
      if (page.next === null) break
      after = page.next
    }
    expect(pages).toEqual([[3, 4, 5], [6]])
  })

  it('of a thread with itself is identical', async () => {
    const { id } = await threadOf(numbered(3))
    expect(await compareThreads(db, { a: id, b: id, limit: 5 })).toMatchObject({
      identical: true,
      rows: [],
      shared: { steps: 3 },
    })
    await controlThread(db, { id, command: 'kill' }, ACTOR)
  })
})
