import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { moveClock } from '@/db/testing/clock'
import { testDatabase } from '@/db/testing/test-database'
import type { Hash } from '@/server/kernel/ids'
import { initHash } from '../hash'
import { refsOf } from '../nodes'
import { putBlob, putContent, putNode } from '../put'
import { extend, type History, writeHistory } from '../testing/history'
import { verifyThread } from '../verify'
import { collectGarbage } from './collect'
import { danglingRefs, expectedSurvivors, storedHashes } from './testing/model'

const db = await testDatabase()
beforeAll(initHash)

const ACTOR = { name: 'test' }
const HOUR = 3_600_000
const DAY = 24 * HOUR

async function emptyStore(): Promise<void> {
  await db.sql`truncate blobs, start_nodes, state_nodes, threads, pins, waits`
}

async function removeRow(history: History): Promise<void> {
  await db.sql`delete from threads where id = ${history.id}`
}

/** A thread that goes on from a step of another one, under its own row. */
async function fork(source: History, at: number): Promise<History> {
  const copy: History = {
    ...source,
    id: hashlessId(),
    chain: source.chain.slice(0, at),
    contents: source.contents.slice(0, at),
  }
  const content = await putContent(db, `fork at ${at} of ${source.id}`, [])
  await extend(db, copy, { role: '__fork__', content })
  await db.sql`
    insert into threads (id, workflow, bundle, status, start, head, height, actor, origin, excerpt, source_thread)
    select ${copy.id}, workflow, bundle, 'paused', start, ${copy.head}, ${copy.chain.length}, actor, origin, excerpt, id
    from threads where id = ${source.id}`
  return copy
}

let ids = 0
// Only the rows are looked at here, and any text is an id for them.
const hashlessId = () => `fork-${++ids}` as History['id']

describe('what a collection leaves', () => {
  test('is exactly what can be reached from threads, forks, children, pins, subjects and young objects', async () => {
    const step = fc.record({ kind: fc.integer({ min: 0, max: 7 }), at: fc.nat(1_000), keep: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 4, maxLength: 10 }),
        fc.array(step, { maxLength: 4 }),
        async (old, young) => {
          await emptyStore()
          const histories: History[] = []
          const loose: Hash[] = []
          const write = async ({ kind, at }: { kind: number; at: number }) => {
            const other = histories[at % Math.max(1, histories.length)]
            const object = loose[at % Math.max(1, loose.length)]
            if (kind === 0 || other === undefined) {
              const artifacts = object === undefined ? [] : [object]
              histories.push(await writeHistory(db, { steps: at % 12, artifacts, prompt: `prompt ${at % 3}` }))
            } else if (kind === 1 && other.chain.length > 0) {
              histories.push(await fork(other, 1 + (at % other.chain.length)))
            } else if (kind === 2) {
              const state = other.chain[at % Math.max(1, other.chain.length)] ?? other.start
              const child = await writeHistory(db, { steps: at % 5, caller: { thread: other.id, state, depth: 1 } })
              histories.push(await writeHistory(db, { steps: 2, children: new Map([[1, child.head]]) }), child)
            } else if (kind === 3) {
              const ends = histories.slice(0, 3).map((history) => history.head)
              const threads = ends.map((_, n) => ({ threadId: `t${n}`, workflow: 'hello', returnCode: 0 }))
              const payload = { threads }
              loose.push(await putNode(db, { type: 'group', payload, refs: refsOf({ type: 'group', payload }, ends) }))
            } else if (kind === 4) loose.push(await putBlob(db, Buffer.from(`bytes ${at}`), 'text/plain'))
            else loose.push(await putContent(db, `loose ${at}`, object === undefined ? [] : [object]))
          }
          for (const made of old) await write(made)
          for (const [n, { keep, at, kind }] of old.entries()) {
            const history = histories[n]
            if (history !== undefined && !keep) await removeRow(history)
            const object = loose[n] ?? history?.chain[at % Math.max(1, history.chain.length)]
            if (object !== undefined && kind === 5)
              await db.sql`insert into pins (hash, owner) values (${object}, 'test') on conflict do nothing`
            if (object !== undefined && kind === 6) {
              await db.sql`insert into waits (thread, key, kind, subject) values (${`t${n}`}, ${`${at}`}, 'input', ${object}) on conflict do nothing`
            }
          }
          await moveClock(db, 2 * DAY)
          for (const made of young) await write(made)
          const expected = await expectedSurvivors(db, 86_400)
          const before = (await storedHashes(db)).size
          const dry = await collectGarbage(db, { dryRun: true }, ACTOR)
          expect((await storedHashes(db)).size).toBe(before)
          const run = await collectGarbage(db, {}, ACTOR)
          expect(await storedHashes(db)).toEqual(expected)
          expect(run).toMatchObject({ phase: 'done', objects: before - expected.size, underWay: false })
          expect(dry).toMatchObject({ phase: 'done', dryRun: true, objects: run.objects, bytes: run.bytes })
        },
      ),
      { numRuns: 10 },
    )
  }, 120_000)

  test('holds the whole of a long chain: every step is found, also where the jumps of ancestors do not land', async () => {
    await emptyStore()
    const long = await writeHistory(db, { steps: 1_100 })
    await moveClock(db, 2 * DAY)
    const run = await collectGarbage(db, {}, ACTOR)
    expect(run).toMatchObject({ objects: 0, marked: 1_100 * 2 + 3 })
    expect(await verifyThread(db, long.id)).toMatchObject({ ok: true })
  }, 60_000)

  test('is everything that is younger than the grace time, with all that it refers to, however old that is', async () => {
    await emptyStore()
    const oldest = await putBlob(db, Buffer.from('artifact'), 'text/plain')
    const old = await putContent(db, 'old', [oldest])
    await moveClock(db, DAY - 60_000)
    const young = await putContent(db, 'young', [old])
    // Now the middle one was touched as lately as the young one; what it refers to was not.
    await moveClock(db, 12 * HOUR)
    await collectGarbage(db, {}, ACTOR)
    expect(await storedHashes(db)).toEqual(new Set([oldest, old, young]))
    await moveClock(db, 12 * HOUR)
    await collectGarbage(db, {}, ACTOR)
    expect(await storedHashes(db)).toEqual(new Set())
  })

  test('is an object that was put again in the grace time, and one that the same bytes would make', async () => {
    await emptyStore()
    const again = await putContent(db, 'again', [])
    await putContent(db, 'once', [])
    await moveClock(db, 2 * DAY)
    expect(await putContent(db, 'again', [])).toBe(again)
    await collectGarbage(db, {}, ACTOR)
    expect(await storedHashes(db)).toEqual(new Set([again]))
  })

  test('is the end of a child that a waiting thread was told, though the child was removed', async () => {
    await emptyStore()
    const child = await writeHistory(db, { steps: 2 })
    const answer = [
      { threadId: child.id, end: child.head },
      { threadId: 'other', end: null },
    ]
    await db.sql`insert into waits (thread, key, kind, status, answer) values ('parent', 'k', 'threads', 'answered', ${db.sql.json(answer)})`
    await removeRow(child)
    await moveClock(db, 2 * DAY)
    await collectGarbage(db, {}, ACTOR)
    expect(await storedHashes(db)).toContain(child.head)
    expect(await danglingRefs(db)).toEqual([])
  })
})

describe('a collection is refused', () => {
  test('below the floor of the grace time and above its ceiling, and nothing is deleted', async () => {
    for (const graceSeconds of [0, 599, 1e10]) {
      await expect(collectGarbage(db, { graceSeconds }, ACTOR)).rejects.toMatchObject({
        code: 'LIMIT_EXCEEDED',
        data: { limit: 'graceSeconds' },
      })
    }
  })
})
