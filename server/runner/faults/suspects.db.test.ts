import { afterEach, expect, test } from 'vitest'
import { testDatabase } from '@/db/testing/test-database'
import { begin, COUNTER, installBundle } from '../testing/bundles'
import { workersOf } from '../testing/processes'
import { endRunners, startRunnerProcess } from '../testing/runner-process'
import { expectExactlyOnce, factsOf, untilEnded } from '../testing/thread-facts'
import { until } from '../testing/until'

const THREADS = 6
const STEPS = 30

const db = await testDatabase()
afterEach(endRunners)

/** Worker processes of a runner at most at once, until its threads have ended: its spare one is among them. */
async function mostWorkers(pid: number, ids: readonly string[]): Promise<number> {
  let most = 0
  await until(
    async () => {
      most = Math.max(most, workersOf(pid).filter((worker) => worker.parent === pid).length)
      return Promise.all(ids.map((id) => factsOf(db, id)))
    },
    (all) => all.every((facts) => facts.status === 'completed'),
    { seconds: 60 },
  )
  return most
}

test('threads whose runner was killed share a worker again: taking over 50 does not start 50 processes', async () => {
  await installBundle(db, 'held', COUNTER)
  const first = await startRunnerProcess(db.url, { leaseMs: 1_000 })
  const ids = await Promise.all(Array.from({ length: THREADS }, () => begin(db, 'held', { steps: STEPS, ms: 50 })))
  await until(
    () => Promise.all(ids.map((id) => factsOf(db, id))),
    (all) => all.every((facts) => facts.steps > 1),
  )
  first.signal('SIGKILL')
  const second = await startRunnerProcess(db.url, { leaseMs: 1_000 })
  // One with the bundle, one spare.
  expect([1, 2]).toContain(await mostWorkers(second.pid, ids))
  for (const id of ids) await expectExactlyOnce(db, id, STEPS)
}, 180_000)

test('a thread whose worker died gets one of its own, so that nobody dies with it twice', async () => {
  const kills = COUNTER.replace('for (let n', 'if (thread.start.input.kills) process.exit(9)\n  for (let n')
  await installBundle(db, 'kills', kills, { limits: { crashes: 3 } })
  await startRunnerProcess(db.url)
  const others = await Promise.all(Array.from({ length: 3 }, () => begin(db, 'kills', { steps: STEPS, ms: 50 })))
  await until(
    () => Promise.all(others.map((id) => factsOf(db, id))),
    (all) => all.every((facts) => facts.steps > 1),
  )
  const killer = await begin(db, 'kills', { kills: true })
  expect(await untilEnded(db, killer, 60)).toMatchObject({ status: 'failed', return_code: 255, attempt: 3 })
  for (const id of others) expect(await untilEnded(db, id, 60)).toMatchObject({ status: 'completed', attempt: 2 })
}, 180_000)

test('a worker that is lost with many threads in it is one crash of its bundle, not many', async () => {
  await installBundle(db, 'together', COUNTER.replace('counted', 'together'))
  const runner = await startRunnerProcess(db.url)
  const ids = await Promise.all(Array.from({ length: 8 }, () => begin(db, 'together', { steps: STEPS, ms: 50 })))
  await until(
    () => Promise.all(ids.map((id) => factsOf(db, id))),
    (all) => all.every((facts) => facts.steps > 1),
  )
  for (const worker of workersOf(runner.pid)) process.kill(worker.pid, 'SIGKILL')
  for (const id of ids) expect(await untilEnded(db, id, 60)).toMatchObject({ status: 'completed', attempt: 2 })
  expect(await db.sql`select bundle from quarantines`).toEqual([])
  expect(await db.sql`select 1 from bundle_crashes where thread = any(${ids})`).toHaveLength(1)
}, 180_000)
