import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '@/db/testing/test-database'
import { launcher } from '@/server/sandbox/launcher'
import { begin, bundleOf, installBundle, WITNESS } from '../testing/bundles'
import { startLocalRunner } from '../testing/local-runner'
import { isAlive, workersOf } from '../testing/processes'
import { endRunners, type RunnerProcess, startRunnerProcess } from '../testing/runner-process'
import { expectExactlyOnce, factsOf, untilEnded } from '../testing/thread-facts'
import { until } from '../testing/until'

const STEPS = 200
const KILLS = 10

const db = await testDatabase()
const folder = mkdtempSync(path.join(tmpdir(), 'cairn-witness-'))

beforeAll(async () => {
  await installBundle(db, 'witness', WITNESS, { grants: { exec: [{ command: 'tee', folders: [folder] }] } })
  return () => rmSync(folder, { recursive: true, force: true })
})
afterEach(endRunners)

/** Steps at which to kill, in order and all different. */
function moments(): number[] {
  const all = new Set<number>()
  while (all.size < KILLS) all.add(1 + Math.floor(Math.random() * (STEPS - 10)))
  return [...all].sort((a, b) => a - b)
}

/** Each kill runs the role in flight once more; a role whose step was appended never runs again. */
function expectWitness(file: string): void {
  const ran = readFileSync(file, 'utf8').trim().split('\n').map(Number)
  expect(ran).toEqual([...ran].sort((a, b) => a - b))
  expect(new Set(ran).size).toBe(STEPS)
  expect(ran.length).toBeLessThanOrEqual(STEPS + KILLS)
}

test('a worker killed ten times: every step once in the chain, and no role runs after its step', async () => {
  const { stop } = await startLocalRunner(db.url)
  const witness = path.join(folder, 'worker')
  const id = await begin(db, 'witness', { steps: STEPS, witness })
  try {
    for (const [n, step] of moments().entries()) {
      await until(
        () => factsOf(db, id),
        (facts) => facts.height >= step,
        { everyMs: 2 },
      )
      const workers = workersOf(process.pid)
      // Six crashes of a bundle in a minute would put it into quarantine: it is as if they were further apart.
      await db.sql`delete from bundle_crashes`
      // Now the launchers, now what they launched.
      for (const worker of workers)
        if ((worker.parent === process.pid) === (n % 2 === 0)) process.kill(worker.pid, 'SIGKILL')
    }
    await untilEnded(db, id, 90)
  } finally {
    await stop()
  }
  await expectExactlyOnce(db, id, STEPS)
  expectWitness(witness)
}, 120_000)

test('a runner killed ten times: its leases run out, another goes on, and its workers die with it', async () => {
  const options = { leaseMs: 1_000, pollMs: 100 }
  const witness = path.join(folder, 'runner')
  // One holds the thread, the others wait for its lease to run out; each that is killed is replaced.
  const ready = new Map<string, RunnerProcess>()
  const starting: Promise<void>[] = []
  const launch = () =>
    starting.push(startRunnerProcess(db.url, options).then((runner) => void ready.set(runner.id, runner)))
  launch()
  launch()
  launch()
  await Promise.all(starting)
  const id = await begin(db, 'witness', { steps: STEPS, witness })
  for (const step of moments()) {
    const facts = await until(
      () => factsOf(db, id),
      // Not held by one that is dead and whose lease has not run out yet.
      (seen) => seen.height >= step && ready.has(seen.runner ?? ''),
      { everyMs: 2, seconds: 60 },
    )
    const holder = ready.get(facts.runner ?? '')
    if (holder === undefined) throw new Error('the runner seen is a ready one')
    const workers = workersOf(holder.pid)
    ready.delete(holder.id)
    holder.signal('SIGKILL')
    await holder.exited
    launch()
    await until(
      () => workers.filter((worker) => isAlive(worker.pid)),
      (left) => left.length === 0,
    )
  }
  await Promise.all(starting)
  await untilEnded(db, id, 120)
  await expectExactlyOnce(db, id, STEPS)
  expectWitness(witness)
}, 180_000)

test('a worker that spins does not outlive its runner', async (context) => {
  if (!(await launcher()).layers.includes('dies-with-runner')) return context.skip()
  await installBundle(db, 'spins', bundleOf('yield await say(1); for (;;);'))
  const runner = await startRunnerProcess(db.url)
  const id = await begin(db, 'spins')
  await until(
    () => factsOf(db, id),
    (facts) => facts.height === 1,
  )
  const workers = workersOf(runner.pid)
  runner.signal('SIGKILL')
  await runner.exited
  await until(
    () => workers.filter((worker) => isAlive(worker.pid)),
    (left) => left.length === 0,
  )
  await db.sql`delete from threads where id = ${id}`
}, 60_000)
