import { expect, test } from 'vitest'
import { withTransaction } from '@/db/client'
import { testDatabase } from '@/db/testing/test-database'
import { danglingRefs } from './gc/testing/model'
import { putContent } from './put'
import { removeObject } from './remove'

const db = await testDatabase()
const ACTOR = { name: 'test' }

/** Resolves when a session waits for the lock `cairn gc`. */
async function somebodyWaits(): Promise<void> {
  await expect
    .poll(async () => {
      const [row] = await db.sql<{ n: number }[]>`
        select count(*)::int as n from pg_locks where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`
      return row?.n
    })
    .toBe(1)
}

test('an object that a transaction under way refers to is not removed: the removal waits, and is refused then', async () => {
  const below = await putContent(db, 'below', [])
  let removal: Promise<unknown> | null = null
  await withTransaction(db, async (tx) => {
    await putContent(tx, 'above', [below])
    removal = removeObject(db, below, ACTOR).catch((error: unknown) => error)
    await somebodyWaits()
  })
  expect(await removal).toMatchObject({ code: 'CONFLICT', data: { current: 'referenced' } })
  expect(await danglingRefs(db)).toEqual([])
})

test('a writer that refers to an object while it is removed waits, and is told that it is missing', async () => {
  const below = await putContent(db, 'below again', [])
  let writer: Promise<unknown> | null = null
  await withTransaction(db, async (tx) => {
    await tx.sql`select gc_alone()`
    writer = putContent(db, 'above again', [below]).catch((error: unknown) => error)
    await somebodyWaits()
    await tx.sql`delete from blobs where hash = ${below}`
  })
  expect(await writer).toMatchObject({ code: 'MISSING_REF', data: { refs: [below] } })
  expect(await danglingRefs(db)).toEqual([])
})

test('bytes that are put again while they are removed are stored when the put resolves', async () => {
  const hash = await putContent(db, 'again', [])
  let writer: Promise<unknown> | null = null
  await withTransaction(db, async (tx) => {
    await tx.sql`select gc_alone()`
    writer = putContent(db, 'again', [])
    await somebodyWaits()
    await tx.sql`delete from blobs where hash = ${hash}`
  })
  expect(await writer).toBe(hash)
  expect(await db.sql`select hash from blobs where hash = ${hash}`).toHaveLength(1)
})
