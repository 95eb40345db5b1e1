import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '@/db/testing/test-database'
import { FORK_MARKER, hashSchema, newThreadId, type ThreadId } from '@/server/kernel/ids'
import { initHash } from './hash'
import { damaging } from './testing/damage'
import { extend, type History, writeHistory } from './testing/history'
import { verifyThread } from './verify'

const db = await testDatabase()
beforeAll(initHash)

const damaged = damaging(db)
const UNKNOWN = hashSchema.parse('0000000000000')

describe('affected threads', () => {
  /** A thread whose chain continues that of `source` from a height. */
  const fork = async (source: History, height: number): Promise<ThreadId> => {
    const branch: History = { ...source, chain: source.chain.slice(0, height), contents: [] }
    await extend(db, branch, { role: FORK_MARKER, content: source.prompt })
    const head = await extend(db, branch, { content: source.prompt })
    const id = newThreadId()
    await db.sql`insert into threads (id, workflow, bundle, status, start, head, height, steps, actor, origin, excerpt, source_thread)
      values (${id}, 'hello', ${source.bundle}, 'running', ${source.start}, ${head}, ${height + 2}, ${height + 1}, 'test', 'api', '', ${source.id})`
    return id
  }

  test('of a damaged step are its thread, the forks above it, the callers and the children called after it', async () => {
    const text = (step: number) => `affected ${step} ${randomBytes(4).toString('hex')}`
    const source = await writeHistory(db, { steps: 60, text, prompt: 'affected' })
    const above = await fork(source, 50)
    const below = await fork(source, 20)
    const at = (height: number) => source.chain[height - 1] ?? UNKNOWN
    const late = await writeHistory(db, {
      steps: 1,
      prompt: 'late',
      caller: { thread: source.id, state: at(40), depth: 1 },
    })
    const early = await writeHistory(db, {
      steps: 1,
      prompt: 'early',
      caller: { thread: source.id, state: at(10), depth: 1 },
    })
    const caller = await writeHistory(db, { steps: 2, prompt: 'caller', children: new Map([[1, source.head]]) })
    const stranger = await writeHistory(db, { steps: 3, prompt: 'stranger' })
    for (const id of [source.id, above, below, late.id, early.id, caller.id, stranger.id]) {
      expect((await verifyThread(db, id)).findings).toEqual([])
    }
    const expected = [source.id, above, late.id, caller.id].sort()
    const at30 = at(30)
    for (const change of [
      `update state_nodes set body = overlay(body placing 'x' from 30 for 1) where hash = '${at30}'`,
      `update state_nodes set height = 29 where hash = '${at30}'`,
      `update state_nodes set refs = '{}' where hash = '${at30}'`,
      `delete from state_nodes where hash = '${at30}'`,
      `update blobs set body = overlay(body placing 'X' from 15 for 1) where hash = '${source.contents[29]}'`,
    ]) {
      await damaged(change, async (verify) => {
        expect((await verify(source.id)).affectedThreads).toEqual(expected)
        expect((await verify(above)).affectedThreads).toEqual(expected)
        expect((await verify(below)).ok).toBe(true)
        expect((await verify(stranger.id)).ok).toBe(true)
      })
    }
  })

  test('of a damaged prompt, start node or bundle are all that begin with it', async () => {
    const prompt = `shared ${randomBytes(4).toString('hex')}`
    const one = await writeHistory(db, { steps: 1, prompt })
    const two = await writeHistory(db, { steps: 2, prompt })
    const expected = [one.id, two.id].sort()
    for (const [table, hash] of [
      ['blobs', one.prompt],
      ['start_nodes', one.start],
    ] as const) {
      await damaged(
        `update ${table} set body = overlay(body placing 'X' from 20 for 1) where hash = '${hash}'`,
        async (verify) => {
          expect((await verify(one.id)).affectedThreads).toEqual(expected)
        },
      )
    }
    await damaged(`update bundles set size = 1 where hash = '${one.bundle}'`, async (verify) => {
      expect((await verify(one.id)).affectedThreads).toEqual(expect.arrayContaining(expected))
    })
  })
})
