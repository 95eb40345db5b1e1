import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '@/db/client'
import { type Embedded, startEmbedded } from '@/db/embedded/start-embedded'
import { retrySafe } from '@/db/errors'
import { migrate } from '@/db/migrate'
import { begin, COUNTER, installBundle } from '../testing/bundles'
import { startLocalRunner } from '../testing/local-runner'
import { expectExactlyOnce, factsOf, untilEnded } from '../testing/thread-facts'
import { until } from '../testing/until'

// A server of its own: what is killed here takes every connection with it.
const STEPS = 200
const KILLS = 10
const dir = mkdtempSync(path.join(tmpdir(), 'cairn-kill-database-'))
let server: Embedded
let db: Database

beforeAll(async () => {
  server = await startEmbedded({ dir, supervise: true, settings: { fsync: 'off', shared_buffers: '32MB' } })
  await migrate(server.url)
  db = openDatabase(server.url, { purpose: 'test' })
  await installBundle(db, 'counter', COUNTER)
})
afterAll(async () => {
  await db.close()
  await server.stop()
  rmSync(dir, { recursive: true, force: true })
})

const facts = (id: string) => retrySafe(() => factsOf(db, id), { attempts: 50, maxDelayMs: 300 })

async function killAtRandomMoments(kill: () => Promise<void>): Promise<string> {
  const { stop } = await startLocalRunner(server.url, { leaseMs: 3_000 })
  try {
    const id = await begin(db, 'counter', { steps: STEPS, ms: 4 })
    const every = Math.floor(STEPS / KILLS) - 1
    for (let n = 0; n < KILLS; n++) {
      const step = n * every + Math.floor(Math.random() * every)
      await until(
        () => facts(id),
        (seen) => seen.height >= step,
        { everyMs: 2, seconds: 60 },
      )
      await kill()
    }
    await until(
      () => facts(id),
      (seen) => seen.status === 'completed' || seen.status === 'failed',
      { seconds: 60 },
    )
    await untilEnded(db, id)
    return id
  } finally {
    await stop()
  }
}

test('a database backend of the runner killed ten times: every step exactly once', async () => {
  let killed = 0
  const id = await killAtRandomMoments(async () => {
    const [backend] = await retrySafe(
      () => db.sql<{ pid: number }[]>`
        select pid from pg_stat_activity where application_name = 'cairn-runner' order by random() limit 1`,
      { attempts: 50, maxDelayMs: 300 },
    )
    if (backend === undefined) return
    process.kill(backend.pid, 'SIGKILL')
    killed += 1
  })
  expect(killed).toBeGreaterThan(KILLS / 2)
  await expectExactlyOnce(db, id, STEPS)
}, 120_000)

test('the Postgres server killed ten times: every step exactly once', async () => {
  const id = await killAtRandomMoments(async () => {
    const { pid } = server
    process.kill(pid, 'SIGKILL')
    await until(
      () => server.pid,
      (now) => now !== pid,
      { seconds: 60 },
    )
  })
  await expectExactlyOnce(db, id, STEPS)
}, 180_000)
