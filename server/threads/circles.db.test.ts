import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type Queryable, withTransaction } from '@/db/client'
import { testDatabase } from '@/db/testing/test-database'
import { scriptedThread } from './testing/scripted-thread'

const db = await testDatabase()

/** As a role does that waits for another thread. */
async function waitFor({ sql }: Queryable, id: string, target: string): Promise<string | undefined> {
  const [row] = await sql<{ outcome: string }[]>`
    select outcome from suspend_thread('runner-of-the-test', ${id}, (select lease_token from threads where id = ${id}),
      (select head || '.1' from threads where id = ${id}), 'threads', 'threads', null, null, null, null, null, null, ${[target]}::text[], 'all', 0, null)`
  return row?.outcome
}

test('of two waits that close a circle of four at the same moment, one is refused', async () => {
  const a = (await scriptedThread(db)).id
  const b = (await scriptedThread(db)).id
  const c = (await scriptedThread(db)).id
  const d = (await scriptedThread(db)).id
  expect([await waitFor(db, a, b), await waitFor(db, c, d)]).toEqual(['suspended', 'suspended'])
  let other: Promise<string | undefined> = Promise.resolve(undefined)
  const one = await withTransaction(db, async (tx) => {
    const outcome = await waitFor(tx, b, c)
    // Neither locks a thread that the other one locks.
    other = waitFor(db, d, a)
    await Promise.race([other, pause(500)])
    return outcome
  })
  expect([one, await other]).toEqual(['suspended', 'cycle'])
})
