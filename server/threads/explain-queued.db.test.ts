import { expect, it } from 'vitest'
import { readThread } from '@/db/queries/threads/read-thread'
import { moveClock } from '@/db/testing/clock'
import { testDatabase } from '@/db/testing/test-database'
import { queuedReason } from './explain-queued'
import { scriptedThread } from './testing/scripted-thread'

const db = await testDatabase()
const running = await scriptedThread(db)
const { id } = await scriptedThread(db, { queued: true })

async function why() {
  const row = await readThread(db, id)
  if (row === null) throw new Error('the thread is there')
  return queuedReason(db, row)
}

async function runner(name: string, columns: { capacity?: number; labels?: string[]; permissions?: string[] | null }) {
  const { capacity = 5, labels = [], permissions = null } = columns
  await db.sql`
    insert into runners (id, host, pid, version, node_version, capacity, labels, permissions)
    values (${name}, 'h', 1, '1', '20', ${capacity}, ${labels}::text[], ${permissions}::text[])`
}

it('a queued thread says which condition of its claim does not hold, and a running one nothing', async () => {
  const other = await readThread(db, running.id)
  if (other === null) throw new Error('the thread is there')
  expect(await queuedReason(db, other)).toBeNull()
  expect(await why()).toEqual({ code: 'no-runner', message: 'No runner lives. Start one.' })

  await runner('dead', {})
  await moveClock(db, 60_000)
  expect(await why()).toMatchObject({ code: 'no-runner' })
  await runner('drained', {})
  await db.sql`update runners set draining = true where id = 'drained'`
  expect(await why()).toMatchObject({ code: 'no-runner', message: expect.stringMatching(/is draining/) })

  await runner('plain', { capacity: 1, permissions: ['exec:git'] })
  expect(await why()).toEqual({ code: 'next', message: 'It is the next one to be claimed.' })

  await db.sql`update threads set labels = '{gpu}' where id = ${id}`
  expect(await why()).toEqual({
    code: 'labels',
    message: 'No runner that lives has the label gpu. Start one with it.',
  })
  await runner('gpu', { labels: ['gpu', 'big'], permissions: [] })
  expect(await why()).toMatchObject({ code: 'next' })

  await db.sql`update threads set permissions = '{exec:git,exec:npm}' where id = ${id}`
  expect(await why()).toMatchObject({
    code: 'permissions',
    message: expect.stringMatching(/with the label gpu may give all of the permissions exec:git, exec:npm/),
  })
  await db.sql`update threads set permissions = '{}', labels = '{}' where id = ${id}`

  await db.sql`update threads set runner = 'plain' where id = ${running.id}`
  await db.sql`update runners set draining = true where id = 'gpu'`
  expect(await why()).toMatchObject({ code: 'capacity', message: expect.stringMatching(/as they can \(1\)/) })

  await db.sql`insert into workflows (name, current, version, limits) values ('scripted', 'H', 1, '{"concurrency": 1}')`
  expect(await why()).toMatchObject({ code: 'concurrency', message: expect.stringMatching(/^1 of at most 1 threads/) })

  await db.sql`update threads set available_at = app_now() + interval '1 minute' where id = ${id}`
  expect(await why()).toMatchObject({ code: 'delayed' })
  await db.sql`insert into quarantines (bundle, reason, crashes) select bundle, 'exit 9', 6 from threads where id = ${id}`
  expect(await why()).toMatchObject({
    code: 'quarantined',
    message: expect.stringMatching(/crashed too often \(exit 9\)/),
  })
  await db.sql`update quarantines set lifted_at = app_now()`
  expect(await why()).toMatchObject({ code: 'delayed' })
})

it('threads of higher priority, and older ones, are counted before it', async () => {
  await moveClock(db, 120_000)
  await db.sql`delete from workflows`
  await runner('fresh', {})
  const later = await scriptedThread(db, { queued: true })
  expect(await why()).toMatchObject({ message: 'It is the next one to be claimed.' })
  await db.sql`update threads set priority = 1 where id = ${later.id}`
  expect(await why()).toEqual({ code: 'next', message: '1 thread is claimed before it.' })
})
