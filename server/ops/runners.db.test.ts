import { expect, it } from 'vitest'
import { listen } from '@/db/listen'
import { claimThreads } from '@/db/queries/threads/claim-threads'
import { testDatabase } from '@/db/testing/test-database'
import { scriptedThread } from '@/server/threads/testing/scripted-thread'
import { liftBundle, listQuarantines } from './quarantines'
import { drainRunner, listRunners } from './runners'

const db = await testDatabase()
const ann = { name: 'key:ann' }
const bob = { name: 'key:bob' }

async function heard(channel: 'cairn_control' | 'cairn_work', work: () => Promise<unknown>): Promise<void> {
  let told: () => void = () => undefined
  const notified = new Promise<void>((resolve) => {
    told = resolve
  })
  const listener = await listen(db.url, channel, () => told())
  await work()
  await notified
  await listener.close()
}

it('a runner is listed with what decides what it takes', async () => {
  await db.sql`
    insert into runners (id, host, pid, version, node_version, capacity, labels, permissions)
    values ('r1', 'h', 1, '1.2.3', 'v20.9.0', 10, '{gpu}', '{exec:git}')`
  expect(await listRunners(db)).toMatchObject([
    {
      id: 'r1',
      version: '1.2.3',
      nodeVersion: 'v20.9.0',
      capacity: 10,
      labels: ['gpu'],
      permissions: ['exec:git'],
      draining: false,
    },
  ])
})

it('draining is told to the runners, names who asked first, and can be taken back', async () => {
  await heard('cairn_control', () => drainRunner(db, { id: 'r1', on: true }, ann))
  expect(await drainRunner(db, { id: 'r1', on: true }, bob)).toEqual({ id: 'r1', draining: true, drainedBy: 'key:ann' })
  expect((await listRunners(db))[0]).toMatchObject({ draining: true, drainedBy: 'key:ann' })
  expect(await drainRunner(db, { id: 'r1', on: false }, bob)).toEqual({ id: 'r1', draining: false, drainedBy: null })
})

it('a runner that is not there is NOT_FOUND, and one that stopped is a CONFLICT', async () => {
  await expect(drainRunner(db, { id: 'nobody', on: true }, ann)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await db.sql`update runners set stopped_at = app_now() where id = 'r1'`
  await expect(drainRunner(db, { id: 'r1', on: true }, ann)).rejects.toMatchObject({ code: 'CONFLICT' })
  expect((await listRunners(db))[0]).toMatchObject({ draining: false })
})

it('a quarantine names its workflows and what waits for it; lifted, the threads are claimed and crashes count from none', async () => {
  const { id } = await scriptedThread(db, { queued: true })
  const [thread] = await db.sql<{ bundle: string }[]>`select bundle from threads where id = ${id}`
  const bundle = thread?.bundle ?? ''
  await db.sql`insert into registry_events (workflow, type, after, actor) values ('scripted', 'added', ${bundle}, 'a')`
  await db.sql`insert into quarantines (bundle, reason, crashes) values (${bundle}, 'exit 9', 6)`
  await db.sql`insert into bundle_crashes (bundle, thread, worker, reason) values (${bundle}, ${id}, 'w', 'exit 9')`
  const claim = () => claimThreads(db, { runner: 'r2', capacity: 1, leaseMs: 60_000, sweep: false })

  expect(await listQuarantines(db)).toEqual([
    { bundle, workflows: ['scripted'], reason: 'exit 9', crashes: 6, at: expect.any(String), queuedThreads: 1 },
  ])
  expect(await claim()).toEqual([])
  await heard('cairn_work', () => liftBundle(db, { bundle, note: 'mended' }, ann))
  expect(await listQuarantines(db)).toEqual([])
  expect(await db.sql`select lifted_by, note from quarantines`).toEqual([{ lifted_by: 'key:ann', note: 'mended' }])
  expect(await db.sql`select 1 from bundle_crashes`).toEqual([])
  expect(await claim()).toHaveLength(1)
  await expect(liftBundle(db, { bundle }, ann)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})
