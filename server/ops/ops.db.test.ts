import { afterAll, expect, it } from 'vitest'
import { openDatabase } from '@/db/client'
import { moveClock } from '@/db/testing/clock'
import { databaseProxy } from '@/db/testing/database-proxy'
import { testDatabase } from '@/db/testing/test-database'
import { scriptedThread } from '@/server/threads/testing/scripted-thread'
import { liveResponse, readyResponse } from './health'
import { systemInfo } from './info'
import { listRunners } from './runners'

const db = await testDatabase()
const proxy = await databaseProxy(db.url)
const wired = openDatabase(proxy.url, { purpose: 'test', max: 1 })
afterAll(async () => {
  await proxy.close()
  await wired.close()
})

it('ready follows the database, live does not', async () => {
  expect((await readyResponse(() => wired)).status).toBe(200)
  await proxy.cut()
  const answer = await readyResponse(() => wired)
  expect(answer.status).toBe(503)
  expect(JSON.stringify(await answer.json())).not.toMatch(/ECONN|127\.0\.0\.1/)
  expect(liveResponse().status).toBe(200)
})

it('a process without its environment is not ready, and says so instead of failing', async () => {
  const unset = () => {
    throw new Error('DATABASE_URL is not set')
  }
  expect((await readyResponse(unset)).status).toBe(503)
})

it('the system page counts what waits and runs, and names what is queued longest', async () => {
  await scriptedThread(db)
  const oldest = await scriptedThread(db, { queued: true })
  await scriptedThread(db, { queued: true })
  expect(await systemInfo(db, true)).toMatchObject({
    database: { version: expect.stringMatching(/^18/), embedded: true },
    counts: { queued: 2, running: 1, paused: 0, waiting: 0, workflows: 0 },
    oldestQueued: { id: oldest.id, since: expect.stringMatching(/Z$/) },
    now: expect.stringMatching(/Z$/),
  })
})

it('a runner that stopped, or was silent for three heartbeats, is not alive; after a day it is not listed', async () => {
  await db.sql`
    insert into runners (id, host, pid, version, node_version, capacity, stopped_at)
    values ('living', 'h', 1, '1', '20', 10, null), ('stopped', 'h', 2, '1', '20', 10, app_now())`
  const alive = async () => Object.fromEntries((await listRunners(db)).map((runner) => [runner.id, runner.alive]))
  expect(await alive()).toEqual({ living: true, stopped: false })
  await moveClock(db, 20_000)
  expect(await alive()).toEqual({ living: false, stopped: false })
  await moveClock(db, 25 * 3_600_000)
  expect(await alive()).toEqual({})
})
