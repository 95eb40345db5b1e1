import { expect, test, vi } from 'vitest'
import { listen } from './listen'
import { testDatabase } from './testing/test-database'

const db = await testDatabase()

const notify = () => db.sql`select pg_notify('cairn_work', '')`
const killListeners = () => db.sql<{ killed: boolean }[]>`
  select pg_terminate_backend(pid) as killed from pg_stat_activity
  where datname = current_database() and application_name = 'cairn-listen'`

test('every notification on the channel calls back, and none on another', async () => {
  let calls = 0
  const listener = await listen(db.url, 'cairn_work', () => {
    calls += 1
  })
  await db.sql`select pg_notify('cairn_change', '')`
  await notify()
  await notify()
  await vi.waitFor(() => expect(calls).toBe(2))
  await listener.close()
})

test('a lost connection is made again, with one call for what may have been missed', async () => {
  let calls = 0
  const listener = await listen(db.url, 'cairn_work', () => {
    calls += 1
  })
  for (let round = 1; round <= 3; round++) {
    expect(await killListeners()).toEqual([{ killed: true }])
    await vi.waitFor(() => expect(calls).toBe(2 * round - 1), { timeout: 10_000 })
    await notify()
    await vi.waitFor(() => expect(calls).toBe(2 * round))
  }
  await listener.close()
})

test('a first connection that fails is an error, and nothing goes on trying', async () => {
  await expect(listen('postgres://nobody@127.0.0.1:1/x', 'cairn_work', () => {})).rejects.toMatchObject({
    code: 'UNAVAILABLE',
  })
})
