import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { moveClock } from '@/db/testing/clock'
import { testDatabase } from '@/db/testing/test-database'
import { isAppError } from '@/server/kernel/errors'
import type { Hash } from '@/server/kernel/ids'
import { onTestPoint } from '@/server/kernel/test-point'
import { putContent } from '../put'
import { type History, writeHistory } from '../testing/history'
import { collectGarbage } from './collect'
import { listGcRuns } from './list-runs'
import { danglingRefs, expectedSurvivors, storedHashes } from './testing/model'

const db = await testDatabase()
const ACTOR = { name: 'test' }
const DAY = 86_400_000
/** Enough batches to be cut between any two of them. */
const BATCH = 6
/** More statements than a collection of this size has. */
const STATEMENTS = 80

/** A thread to keep, and one whose row is gone. Its start node and prompt are of its own. */
async function keptAndRemoved(name: string): Promise<{ removed: History }> {
  await writeHistory(db, { steps: 3, prompt: `kept ${name}` })
  const removed = await writeHistory(db, { steps: 6, prompt: `removed ${name}` })
  await db.sql`delete from threads where id = ${removed.id}`
  await moveClock(db, 2 * DAY)
  return { removed }
}

async function killCollector(): Promise<void> {
  await db.sql`
    select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where application_name = 'cairn-gc' and datname = current_database()`
}

/** Runs a collection whose connection is killed before its nth statement. Says whether there was an nth. */
async function killedAt(nth: number): Promise<boolean> {
  let statements = 0
  const stop = onTestPoint('gc:statement', async () => {
    if (++statements === nth) await killCollector()
  })
  try {
    await collectGarbage(db, { batchObjects: BATCH }, ACTOR)
    return false
  } catch (error) {
    if (!isAppError(error, 'UNAVAILABLE')) throw error
    return true
  } finally {
    stop()
  }
}

/** Until the server has noticed that the session of the last collector is gone. */
async function collectAgain() {
  for (let tries = 1; ; tries++) {
    try {
      return await collectGarbage(db, { batchObjects: BATCH }, ACTOR)
    } catch (error) {
      if (tries === 100 || !isAppError(error, 'CONFLICT')) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

test('killed at any statement, it leaves every ref whole, keeps what is referred to meanwhile, and the next one completes', async () => {
  let revived = 0
  let nth = 2
  for (; nth < STATEMENTS; nth++) {
    const { removed } = await keptAndRemoved(String(nth))
    if (!(await killedAt(nth))) break
    expect(await danglingRefs(db), `killed at statement ${nth}`).toEqual([])
    // Somebody refers to the head of what is being collected, which is there with all of its history, or not at all.
    const kept = await putContent(db, `keeps ${nth}`, [removed.head]).catch((error: unknown) => {
      if (!isAppError(error, 'MISSING_REF')) throw error
      return null
    })
    if (kept !== null) revived++
    expect(await collectAgain()).toMatchObject({ phase: 'done' })
    expect(await storedHashes(db), `killed at statement ${nth}`).toEqual(await expectedSurvivors(db, DAY / 1_000))
    expect(await danglingRefs(db)).toEqual([])
  }
  expect(nth).toBeGreaterThan(20)
  expect(nth).toBeLessThan(STATEMENTS)
  expect(revived).toBeGreaterThan(5)
}, 240_000)

test('while one is under way another is refused, and a dry run is not', async () => {
  await keptAndRemoved('two')
  let refused: unknown
  let dry: unknown
  let asked = false
  const stop = onTestPoint('gc:statement', async () => {
    if (asked) return
    const [row] = await db.sql<{ n: number }[]>`select count(*)::int as n from gc_runs where phase = 'sweeping'`
    if (row?.n !== 1 || asked) return
    asked = true
    refused = await collectGarbage(db, {}, ACTOR).catch((error: unknown) => error)
    dry = await collectGarbage(db, { dryRun: true }, ACTOR)
    expect((await listGcRuns(db, 1)).map((run) => [run.dryRun, run.underWay])).toEqual([[true, false]])
  })
  try {
    expect(await collectGarbage(db, { batchObjects: BATCH }, ACTOR)).toMatchObject({ phase: 'done' })
  } finally {
    stop()
  }
  expect(refused).toMatchObject({ code: 'CONFLICT' })
  expect(dry).toMatchObject({ phase: 'done', dryRun: true })
})

test('what is put again, or referred to, before any statement of a collection is whole after it', async () => {
  const pairs: { below: Hash; above: Hash }[] = []
  for (let n = 0; n < STATEMENTS; n++) {
    const below = await putContent(db, `lower ${n}`, [await putContent(db, `lowest ${n}`, [])])
    pairs.push({ below, above: await putContent(db, `upper ${n}`, [below]) })
  }
  await moveClock(db, 2 * DAY)
  const kept = new Set<string>()
  let statements = 0
  const stop = onTestPoint('gc:statement', async () => {
    const n = statements++
    const pair = pairs[n]
    if (pair === undefined) return
    try {
      // The upper one is touched and so is not condemned, where that has not been done yet; what is below it must not be either.
      if (n % 2 === 0) kept.add(await putContent(db, `upper ${n}`, [pair.below]))
      else kept.add(await putContent(db, `new ${n}`, [pair.above]))
    } catch (error) {
      if (!isAppError(error, 'MISSING_REF')) throw error
    }
    expect(await danglingRefs(db), `before statement ${n}`).toEqual([])
  })
  try {
    await collectGarbage(db, { batchObjects: 100 }, ACTOR)
  } finally {
    stop()
  }
  expect(await danglingRefs(db)).toEqual([])
  const stored = await storedHashes(db)
  expect([...kept].filter((hash) => !stored.has(hash))).toEqual([])
  expect(kept.size).toBeGreaterThan(20)
}, 60_000)

const folder = mkdtempSync(join(tmpdir(), 'cairn-gc-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a process that is killed while it sweeps is followed by one that goes on with the same run', async () => {
  const { removed } = await keptAndRemoved('process')
  const hold = join(folder, 'gc.batch')
  writeFileSync(hold, 'wait')
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', join(import.meta.dirname, 'testing', 'gc-host.ts'), db.url],
    {
      env: { ...process.env, CAIRN_TEST_POINTS: folder },
      stdio: 'inherit',
    },
  )
  await expect.poll(() => existsSync(`${hold}.reached`), { timeout: 20_000 }).toBe(true)
  const [interrupted] = await listGcRuns(db, 1)
  expect(interrupted).toMatchObject({ phase: 'sweeping', underWay: true })
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await gone
  expect(await collectAgain()).toMatchObject({ id: interrupted?.id, phase: 'done' })
  expect(await storedHashes(db)).not.toContain(removed.head)
  expect(await danglingRefs(db)).toEqual([])
}, 60_000)
