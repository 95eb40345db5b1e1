import { afterAll, expect, it } from 'vitest'
import { type Database, openDatabase } from '@/db/client'
import { databaseProxy } from '@/db/testing/database-proxy'
import { testDatabase } from '@/db/testing/test-database'
import { newThreadId } from '@/server/kernel/ids'
import { onTestPoint } from '@/server/kernel/test-point'
import { readRecords } from './read-records'
import type { ThreadRecord } from './records'
import { scriptedThread } from './testing/scripted-thread'
import { createWatchHub, type WatchHub } from './watch'

const db = await testDatabase()
const open: { close(): Promise<void> }[] = []
afterAll(async () => {
  for (const one of open) await one.close()
})

/** A hub on a pool of its own, as a web process has, and how many statements it has sent. */
function hubOf(
  options?: Parameters<typeof createWatchHub>[1],
  url = db.url,
): { hub: WatchHub; statements: () => number } {
  const pool = openDatabase(url, { purpose: 'test', max: 2 })
  let count = 0
  const counted: Database = {
    ...pool,
    sql: new Proxy(pool.sql, {
      apply(target, self, args) {
        count++
        return Reflect.apply(target, self, args)
      },
    }),
  }
  const hub = createWatchHub(counted, options)
  open.push(hub, pool)
  return { hub, statements: () => count }
}

async function collect(watched: AsyncIterable<ThreadRecord>, seen: ThreadRecord[] = []): Promise<ThreadRecord[]> {
  for await (const record of watched) seen.push(record)
  return seen
}

/** Takes records until one is like `wanted`. */
async function takeUntil(watched: AsyncGenerator<ThreadRecord>, wanted: Partial<ThreadRecord> | { step: number }) {
  const taken: ThreadRecord[] = []
  for (;;) {
    const next = await watched.next()
    if (next.done) throw new Error('the watch is over')
    taken.push(next.value)
    if (
      Object.entries(wanted).every(([key, value]) =>
        Object.entries(next.value).some(([k, v]) => k === key && v === value),
      )
    ) {
      return taken
    }
  }
}

async function wholeOf(id: string): Promise<ThreadRecord[]> {
  const records: ThreadRecord[] = []
  for (let cursor: string | null = null; ; ) {
    const page = await readRecords(db, id, cursor, 200)
    records.push(...page.items)
    cursor = page.cursor
    if (page.finished) return records
  }
}

it('a watch gives each record as it is written, the same as a later read, and is over after the end', async () => {
  const { hub } = hubOf()
  const thread = await scriptedThread(db)
  const watching = collect(hub.watchThread(thread.id, null))
  for (let step = 1; step <= 20; step++) {
    await thread.step('role', `content ${step}`)
    await thread.say(`line ${step}`)
  }
  await thread.end()
  const records = await watching
  expect(records).toEqual(await wholeOf(thread.id))
  expect(records.at(-1)?.kind).toBe('end')
})

it('a watch that comes back with the last cursor it saw misses nothing and repeats nothing', async () => {
  const { hub } = hubOf()
  const thread = await scriptedThread(db)
  for (let step = 1; step <= 5; step++) {
    await thread.say(`line ${step}`)
    await thread.step('role', `content ${step}`)
  }
  await thread.end(1)
  const whole = await wholeOf(thread.id)
  for (const [index, record] of whole.entries()) {
    expect(await collect(hub.watchThread(thread.id, record.cursor))).toEqual(whole.slice(index + 1))
  }
})

it('a notification brings a record long before the next poll', async () => {
  const { hub } = hubOf({ pollMs: 3_600_000 })
  const thread = await scriptedThread(db)
  const watched = hub.watchThread(thread.id, null)
  for (let step = 1; step <= 5; step++) {
    await thread.step('role', `content ${step}`)
    await takeUntil(watched, { step })
  }
  await watched.return()
})

it('with notifications lost, records arrive by the poll', async () => {
  const { hub } = hubOf({ listens: false, pollMs: 20 })
  const thread = await scriptedThread(db)
  const watched = hub.watchThread(thread.id, null)
  for (let step = 1; step <= 3; step++) {
    await thread.step('role', `content ${step}`)
    await takeUntil(watched, { step })
  }
  await thread.end()
  expect((await collect(watched)).at(-1)?.kind).toBe('end')
})

it('a hundred subscribers of one thread cost what one costs', async () => {
  const { hub, statements } = hubOf({ pollMs: 3_600_000 })
  const thread = await scriptedThread(db)
  const watches = Array.from({ length: 100 }, () => hub.watchThread(thread.id, null))
  await Promise.all(watches.map((watched) => takeUntil(watched, { type: 'claimed' })))
  const before = statements()
  const waiting = watches.map((watched) => takeUntil(watched, { step: 1 }))
  await thread.step('role', 'content')
  await Promise.all(waiting)
  expect(statements() - before).toBeLessThan(10)
  await Promise.all(watches.map((watched) => watched.return()))
})

it('a subscriber that does not read delays nobody, and gets everything when it reads again', async () => {
  const { hub } = hubOf()
  const thread = await scriptedThread(db)
  const slow = hub.watchThread(thread.id, null)
  const first = await takeUntil(slow, { kind: 'start' })
  const quick = collect(hub.watchThread(thread.id, null))
  for (let step = 1; step <= 450; step++) await thread.step('role', `content ${step}`)
  await thread.end()
  const whole = await wholeOf(thread.id)
  expect(await quick).toEqual(whole)
  expect([...first, ...(await collect(slow))]).toEqual(whole)
})

it('while the database is away a watch waits, and then goes on from where it was', async () => {
  const proxy = await databaseProxy(db.url)
  open.unshift(proxy)
  const { hub } = hubOf({ pollMs: 20 }, proxy.url)
  const thread = await scriptedThread(db)
  const seen: ThreadRecord[] = []
  const watched = hub.watchThread(thread.id, null)
  seen.push(...(await takeUntil(watched, { type: 'claimed' })))
  const rest = collect(watched, seen)
  await thread.step('role', 'before')
  await proxy.cut()
  await thread.step('role', 'while it is away')
  await proxy.restore()
  await thread.step('role', 'after')
  await thread.end()
  await rest
  expect(seen).toEqual(await wholeOf(thread.id))
})

it('a database that goes away between finding a change and reading it costs no record', async () => {
  const proxy = await databaseProxy(db.url)
  open.unshift(proxy)
  const { hub } = hubOf({ pollMs: 20 }, proxy.url)
  const thread = await scriptedThread(db)
  const seen: ThreadRecord[] = []
  const watched = hub.watchThread(thread.id, null)
  seen.push(...(await takeUntil(watched, { type: 'claimed' })))
  let cuts = 0
  const release = onTestPoint('watch:before-read', async () => {
    if (cuts++ === 0) await proxy.cut()
  })
  const rest = collect(watched, seen)
  await thread.step('role', 'found')
  await expect.poll(() => cuts).toBeGreaterThan(0)
  await proxy.restore()
  release()
  await thread.end()
  await rest
  expect(seen).toEqual(await wholeOf(thread.id))
})

it('without watchers it asks the database nothing', async () => {
  const quiet = hubOf({ pollMs: 5 })
  const thread = await scriptedThread(db)
  const watched = quiet.hub.watchThread(thread.id, null)
  await takeUntil(watched, { type: 'claimed' })
  await watched.return()
  const ticks = quiet.hub.watchAll()
  await ticks.next()
  await ticks.return()
  // A control that polls as often: when it has polled ten times more, the quiet one had the time to.
  const control = hubOf({ pollMs: 5 })
  const other = control.hub.watchThread(thread.id, null)
  await takeUntil(other, { type: 'claimed' })
  const [asked, polled] = [quiet.statements(), control.statements()]
  await expect.poll(control.statements, { timeout: 10_000 }).toBeGreaterThan(polled + 10)
  expect(quiet.statements()).toBe(asked)
  await other.return()
})

it('an abort ends a watch that waits', async () => {
  const { hub } = hubOf()
  const thread = await scriptedThread(db)
  const leaving = new AbortController()
  const watched = hub.watchThread(thread.id, null, leaving.signal)
  await takeUntil(watched, { type: 'claimed' })
  const next = watched.next()
  leaving.abort()
  expect(await next).toEqual({ done: true, value: undefined })
})

it('a thread that does not exist cannot be watched', async () => {
  const { hub } = hubOf()
  await expect(hub.watchThread(newThreadId(), null).next()).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

it('the list ticks at once, then when any thread changes, and twice a second at most', async () => {
  const { hub } = hubOf({ pollMs: 3_600_000 })
  const leaving = new AbortController()
  const ticks = hub.watchAll(leaving.signal)
  const started = performance.now()
  await ticks.next()
  let count = 1
  const counting = (async () => {
    for await (const _ of ticks) count++
  })()
  const thread = await scriptedThread(db)
  while (performance.now() - started < 1_700) await thread.step('role', 'content')
  await expect.poll(() => count).toBeGreaterThanOrEqual(3)
  leaving.abort()
  await counting
  expect(count).toBeLessThanOrEqual(1 + (performance.now() - started) / 500)
})

it('the list ticks without notifications too', async () => {
  const { hub } = hubOf({ listens: false, pollMs: 50 })
  const ticks = hub.watchAll()
  await ticks.next()
  // The first poll finds where the counters are; only what comes after it is a change.
  const tick = ticks.next()
  let arrived = false
  void tick.then(() => {
    arrived = true
  })
  await expect
    .poll(
      async () => {
        await scriptedThread(db, { queued: true })
        return arrived
      },
      { timeout: 25_000, interval: 200 },
    )
    .toBe(true)
  await ticks.return()
})
