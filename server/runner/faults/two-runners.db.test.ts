import { afterEach, expect, test } from 'vitest'
import { testDatabase } from '@/db/testing/test-database'
import { begin, bundleOf, COUNTER, installBundle } from '../testing/bundles'
import { processes, workersOf } from '../testing/processes'
import { endRunners, startRunnerProcess } from '../testing/runner-process'
import { chainOf, expectExactlyOnce, factsOf, untilEnded } from '../testing/thread-facts'
import { until } from '../testing/until'

const db = await testDatabase()
await installBundle(db, 'counter', COUNTER)
afterEach(endRunners)

const THREADS = 100
const STEPS = 10

test('two runners, a hundred threads: none lost, none doubled, each step once', async () => {
  await Promise.all([startRunnerProcess(db.url), startRunnerProcess(db.url)])
  const ids = await Promise.all(Array.from({ length: THREADS }, () => begin(db, 'counter', { steps: STEPS, ms: 2 })))
  await Promise.all(ids.map((id) => untilEnded(db, id, 90)))
  for (const id of ids) {
    expect(await factsOf(db, id)).toMatchObject({ status: 'completed', steps: STEPS, height: STEPS + 1, attempt: 1 })
    expect((await chainOf(db, id)).slice(0, -1).map((link) => link.meta.n)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  }
  const [nodes] = await db.sql`select count(*)::int as n from state_nodes`
  expect(nodes?.n).toBe(THREADS * (STEPS + 1))
  const claims = await db.sql<{ runner: string; n: number }[]>`
    select actor as runner, count(*)::int as n from thread_events where type = 'claimed' group by actor`
  expect(claims.reduce((sum, row) => sum + row.n, 0)).toBe(THREADS)
}, 120_000)

test('a runner stopped beyond its lease and continued writes nothing, and says how many writes were refused', async () => {
  const options = { leaseMs: 2_000, pollMs: 100 }
  const frozen = await startRunnerProcess(db.url, options)
  const ids = await Promise.all(Array.from({ length: 5 }, () => begin(db, 'counter', { steps: 30, ms: 150 })))
  await until(
    () => Promise.all(ids.map((id) => factsOf(db, id))),
    (all) => all.every((facts) => facts.runner === frozen.id && facts.height >= 3),
  )
  // Its threads sleep most of the time: what they append when they wake meets a runner that has lost them.
  frozen.signal('SIGSTOP')
  const other = await startRunnerProcess(db.url, options)
  await Promise.all(ids.map((id) => untilEnded(db, id, 90)))
  const before = await db.sql`select id, head, height, event_seq from threads order by id`
  frozen.signal('SIGCONT')

  const stale = async () => {
    const [row] = await db.sql<{ n: number; active: number }[]>`
      select stale_writes as n, active from runners where id = ${frozen.id}`
    return row ?? { n: 0, active: -1 }
  }
  await until(stale, (seen) => seen.n > 0 && seen.active === 0)
  expect(await db.sql`select id, head, height, event_seq from threads order by id`).toEqual(before)
  for (const id of ids) await expectExactlyOnce(db, id, 30)
  // Its local runs are over: it works on as if nothing had been.
  other.signal('SIGTERM')
  await other.exited
  const next = await begin(db, 'counter', { steps: 1, ms: 0 })
  await untilEnded(db, next)
  await expectExactlyOnce(db, next, 1)
}, 120_000)

test('a runner that is asked to stop gives its threads back at once, exits 0 and leaves no process', async () => {
  const leaving = await startRunnerProcess(db.url, { leaseMs: 60_000 })
  const ids = await Promise.all(Array.from({ length: 5 }, () => begin(db, 'counter', { steps: 60, ms: 20 })))
  await until(
    () => Promise.all(ids.map((id) => factsOf(db, id))),
    (all) => all.every((facts) => facts.runner === leaving.id && facts.height >= 2),
  )
  const staying = await startRunnerProcess(db.url, { leaseMs: 60_000 })
  const workers = workersOf(leaving.pid)
  expect(workers.length).toBeGreaterThan(0)
  leaving.signal('SIGTERM')
  expect(await leaving.exited).toEqual({ code: 0, signal: null })
  // Far below its lease.
  await until(
    () => Promise.all(ids.map((id) => factsOf(db, id))),
    (all) => all.every((facts) => facts.runner === staying.id || facts.status === 'completed'),
    { seconds: 5 },
  )
  const left = new Set(workers.map((worker) => worker.pid))
  await until(
    () => processes().filter((row) => left.has(row.pid)),
    (rows) => rows.length === 0,
  )
  for (const id of ids) {
    expect(await untilEnded(db, id)).toMatchObject({ crashes: 0 })
    await expectExactlyOnce(db, id, 60)
  }
  const [row] = await db.sql`select stopped_at from runners where id = ${leaving.id}`
  expect(row?.stopped_at).toBeInstanceOf(Date)
}, 90_000)

test('a runner that stops leaves no command behind, also none that ignores SIGTERM', async () => {
  const mark = `${process.pid}${Date.now()}`
  const body = `await runtime.exec('sh', ['-c', 'trap "" TERM; echo ${mark} > /dev/null; while :; do sleep 0.1; done'])`
  await installBundle(db, 'stubborn', bundleOf(body), { grants: { exec: [{ command: 'sh', folders: ['/tmp'] }] } })
  const runner = await startRunnerProcess(db.url)
  const id = await begin(db, 'stubborn')
  const commands = () => processes().filter((row) => row.command.includes('trap') && row.command.includes(mark))
  await until(commands, (rows) => rows.length > 0)
  runner.signal('SIGTERM')
  expect(await runner.exited).toEqual({ code: 0, signal: null })
  expect(commands()).toEqual([])
  expect(await factsOf(db, id)).toMatchObject({ status: 'queued', crashes: 0 })
  await db.sql`delete from threads where id = ${id}`
}, 60_000)

test('a runner whose parent is gone stops as if it were asked to', async () => {
  const orphan = await startRunnerProcess(db.url)
  orphan.disconnect()
  expect(await orphan.exited).toEqual({ code: 0, signal: null })
}, 30_000)

test('with notifications off everything runs at the pace of the poll', async () => {
  await startRunnerProcess(db.url, { notifications: 'off', pollMs: 100 })
  const id = await begin(db, 'counter', { steps: 3, ms: 0 })
  await untilEnded(db, id)
  await expectExactlyOnce(db, id, 3)
}, 30_000)
