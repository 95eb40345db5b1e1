import { beforeAll, describe, expect, it } from 'vitest'
import { type Queryable, withTransaction } from '@/db/client'
import { moveClock } from '@/db/testing/clock'
import { testDatabase } from '@/db/testing/test-database'
import { newThreadId } from '@/server/kernel/ids'
import { scriptedThread } from '@/server/threads/testing/scripted-thread'
import { checkInvariants, type InvariantOptions } from './check-invariants'
import { INVARIANTS, OBJECTS } from './invariants'

const db = await testDatabase()
const strict = { deep: true, settleSeconds: 0 }

const ids = { queued: '', running: '', completed: '', failed: '', waiting: '', child: '' }

beforeAll(async () => {
  const running = await scriptedThread(db)
  await running.step('plan', 'one')
  await running.step('work', 'two')
  const completed = await scriptedThread(db)
  await completed.step('plan', 'three')
  await completed.end()
  const failed = await scriptedThread(db)
  await failed.end(1)
  const waiting = await scriptedThread(db)
  await waiting.step('plan', 'four')
  const [held] = await db.sql<{ token: number }[]>`select lease_token as token from threads where id = ${waiting.id}`
  await db.sql`
    select suspend_thread('runner-of-the-test', ${waiting.id}, ${held?.token ?? 0}, 'k.1', 'threads', 'threads', null, null, null, null,
      null, null, ${[running.id]}::text[], 'all', 0, null)`
  const queued = await scriptedThread(db, { queued: true })
  Object.assign(ids, {
    queued: queued.id,
    running: running.id,
    completed: completed.id,
    failed: failed.id,
    waiting: waiting.id,
  })
  await db.sql`
    insert into bundles (hash, source, digest, descriptor, size)
    select bundle, '', ''::bytea, '{}'::json, 0 from threads limit 1`
})

/** What is violated after `change`, which is rolled back then. */
async function violatedBy(change: (tx: Queryable) => Promise<unknown>, options: InvariantOptions = strict) {
  const rolledBack = new Error('rolled back')
  let found: Record<string, string[]> = {}
  await withTransaction(db, async (tx) => {
    await change(tx)
    const report = await checkInvariants(tx, options)
    expect(report.ok).toBe(report.items.every(({ ok }) => ok))
    const violated = report.items.filter(({ ok }) => !ok)
    found = Object.fromEntries(violated.map(({ name, violations }) => [name, violations.map(({ id }) => id)]))
    throw rolledBack
  }).catch((error: unknown) => {
    if (error !== rolledBack && !(error instanceof Error && error.message.includes('rolled back'))) throw error
  })
  return found
}

/** A runner that lives, with room for one thread unless told otherwise. */
const runner = ({ sql }: Queryable, id = 'free', capacity = 1) => sql`
  insert into runners (id, host, pid, version, node_version, capacity) values (${id}, 'h', 1, '1', '20', ${capacity})`

it('nothing is violated in a database that only the engine wrote to; every invariant is a sentence', async () => {
  for (const options of [strict, {}, { deep: true }]) {
    const report = await checkInvariants(db, options)
    expect(report.items.filter(({ ok }) => !ok)).toEqual([])
    expect(report.ok).toBe(true)
    for (const { title } of report.items) expect(title).toMatch(/^[A-Z].*\.$/)
  }
  const names = [...INVARIANTS, OBJECTS].map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
})

type Break = [what: string, invariant: string, change: (tx: Queryable) => Promise<unknown>, row?: () => string]

const BREAKS: Break[] = [
  [
    'a command asked of a thread that does not run',
    'status',
    ({ sql }) => sql`update threads set control = 'kill', control_actor = 'a' where id = ${ids.queued}`,
    () => ids.queued,
  ],
  [
    'a running thread without a lease',
    'status',
    ({ sql }) => sql`update threads set lease_expires_at = null where id = ${ids.running}`,
    () => ids.running,
  ],
  [
    'a finished thread that is idle',
    'status',
    ({ sql }) => sql`update threads set idle_since = app_now() where id = ${ids.completed}`,
    () => ids.completed,
  ],
  [
    'a thread that is finished without an end node',
    'ends',
    ({ sql }) => sql`update threads set head = start, height = 0, steps = 0 where id = ${ids.failed}`,
    () => ids.failed,
  ],
  [
    'a thread that goes on after its end node',
    'ends',
    ({ sql }) => sql`update threads set status = 'queued', finished_at = null where id = ${ids.failed}`,
    () => ids.failed,
  ],
  [
    'a height that is not that of the head',
    'heads',
    ({ sql }) => sql`update threads set height = height + 1 where id = ${ids.running}`,
    () => ids.running,
  ],
  [
    'a head that is not stored',
    'heads',
    ({ sql }) => sql`update threads set head = '0000000000000' where id = ${ids.running}`,
    () => ids.running,
  ],
  [
    'another version than the start node names',
    'heads',
    ({ sql }) => sql`update threads set bundle = '0000000000000' where id = ${ids.running}`,
    () => ids.running,
  ],
  [
    'steps that are counted wrong',
    'chains',
    ({ sql }) => sql`update threads set steps = steps - 1 where id = ${ids.running}`,
    () => ids.running,
  ],
  [
    'a node that is missing below a head',
    'chains',
    ({ sql }) =>
      sql`delete from state_nodes where hash = (select n.parent from state_nodes n join threads t on t.head = n.hash where t.id = ${ids.running})`,
    () => ids.running,
  ],
  [
    'a content that is missing',
    'refs',
    ({ sql }) =>
      sql`delete from blobs where hash = (select n.content from state_nodes n join threads t on t.head = n.hash where t.id = ${ids.running})`,
    () => ids.running,
  ],
  ['a version that is missing', 'bundles', ({ sql }) => sql`delete from bundles`, () => ids.running],
  [
    'an event that is missing',
    'events',
    ({ sql }) => sql`delete from thread_events where thread = ${ids.completed} and seq = 2`,
    () => ids.completed,
  ],
  [
    'a status that no event told',
    'events',
    ({ sql }) => sql`update threads set status = 'paused', idle_since = app_now() where id = ${ids.queued}`,
    () => ids.queued,
  ],
  [
    'a child of the depth of its parent',
    'depths',
    ({ sql }) => sql`update threads set parent_thread = ${ids.running} where id = ${ids.queued}`,
    () => ids.queued,
  ],
  [
    'a thread that waits for nothing',
    'waits',
    ({ sql }) => sql`delete from waits where thread = ${ids.waiting}`,
    () => ids.waiting,
  ],
  [
    'a finished thread with an open wait',
    'waits',
    ({ sql }) => sql`update waits set thread = ${ids.failed}`,
    () => ids.failed,
  ],
  [
    'a thread that waits for one that has ended, without a task to wake it',
    'wakes',
    ({ sql }) => sql`update waits set targets = array[${ids.completed}]`,
    () => ids.waiting,
  ],
  [
    'a thread that waits for one that is gone, without a task to wake it',
    'wakes',
    ({ sql }) => sql`update waits set targets = array[${newThreadId() as string}]`,
    () => ids.waiting,
  ],
  [
    'a timer that went off unseen, while a runner is free',
    'wakes',
    async (tx) => {
      await runner(tx)
      await tx.sql`update waits set kind = 'until', targets = '{}', wake_at = app_now() - interval '1 second'`
    },
    () => ids.waiting,
  ],
  [
    'a thread that waits for itself',
    'circles',
    ({ sql }) => sql`update waits set targets = array[thread]`,
    () => ids.waiting,
  ],
  [
    'a child of an ended parent that nothing ends',
    'children',
    ({ sql }) => sql`update threads set parent_thread = ${ids.failed}, depth = 1 where id = ${ids.queued}`,
    () => ids.queued,
  ],
  [
    'a lease that ran out, while a runner is free',
    'leases',
    async (tx) => {
      await runner(tx)
      await tx.sql`update threads set lease_expires_at = app_now() - interval '1 second' where id = ${ids.running}`
    },
    () => ids.running,
  ],
  ['a queued thread, while a runner is free', 'queue', (tx) => runner(tx), () => ids.queued],
  [
    'a task that nobody does, while a runner is free',
    'tasks',
    async (tx) => {
      await runner(tx)
      await tx.sql`insert into thread_tasks (kind, thread, actor, reason) values ('kill', ${ids.queued}, 'a', 'r')`
      await tx.sql`update thread_tasks set at = app_now() - interval '1 second'`
    },
    () => ids.queued,
  ],
  [
    'a deadline that passed, while a runner lives',
    'lateness',
    async (tx) => {
      await runner(tx)
      await tx.sql`update threads set deadline_at = app_now() - interval '1 second' where id = ${ids.waiting}`
    },
    () => ids.waiting,
  ],
  [
    'a kill that its runner does not do',
    'lateness',
    async (tx) => {
      await runner(tx, 'runner-of-the-test', 9)
      await tx.sql`select ask_runner(${ids.running}, null, 'kill', 'kill_requested', 'a', 'r')`
      await tx.sql`update thread_events set at = app_now() - interval '1 hour' where type = 'kill_requested'`
    },
    () => ids.running,
  ],
  [
    'a runner that holds more than its capacity',
    'capacity',
    async (tx) => {
      await runner(tx, 'runner-of-the-test')
      await tx.sql`select claim_one('runner-of-the-test', ${ids.queued}, 60000)`
    },
    () => 'runner-of-the-test',
  ],
  [
    'a workflow that runs more threads than its limit',
    'concurrency',
    async ({ sql }) => {
      await sql`insert into workflows (name, current, version, limits) select 'scripted', bundle, 1, '{"concurrency": 1}' from threads limit 1`
      await sql`insert into registry_events (seq, workflow, type, after, actor) select 1, 'scripted', 'added', bundle, 'a' from threads limit 1`
      await sql`select claim_one('other', ${ids.queued}, 60000)`
    },
    () => 'scripted',
  ],
  [
    'a quarantine without crashes',
    'quarantines',
    ({ sql }) => sql`insert into quarantines (bundle, reason, crashes) values ('0000000000000', 'r', 1)`,
    () => '0000000000000',
  ],
  [
    'a thread that was claimed in spite of a quarantine',
    'quarantines',
    ({ sql }) =>
      sql`insert into quarantines (bundle, reason, crashes, at) select bundle, 'r', 9, app_now() - interval '1 hour' from threads limit 1`,
    () => ids.running,
  ],
  [
    'a workflow that is not what its events say',
    'projections',
    ({ sql }) => sql`insert into workflows (name, current, version) select 'scripted', bundle, 1 from threads limit 1`,
    () => 'scripted',
  ],
  [
    'a pin of what is not stored',
    'projections',
    ({ sql }) => sql`insert into pins (hash, owner) values ('0000000000000', 'a')`,
    () => '0000000000000',
  ],
  [
    'an artifact that is missing below a content',
    'objects',
    ({ sql }) => sql`update blobs set refs = '{0000000000000}' where hash = (select max(hash) from blobs)`,
  ],
]

describe('a violation is found, and names the row:', () => {
  it.each(BREAKS)('%s (%s)', async (_what, invariant, change, row) => {
    const found = await violatedBy(change)
    expect(Object.keys(found)).toContain(invariant)
    if (row !== undefined) expect(found[invariant]).toContain(row())
  })

  it('every invariant is broken by one of these', () => {
    const broken = new Set(BREAKS.map(([, invariant]) => invariant))
    expect([...INVARIANTS, OBJECTS].map(({ name }) => name).filter((name) => !broken.has(name))).toEqual([])
  })
})

describe('what is no violation:', () => {
  it('more running threads than a limit that was set after they were claimed, also when one is taken over then', async () => {
    const found = await violatedBy(async ({ sql }) => {
      await sql`select claim_one('other', ${ids.queued}, 60000)`
      await sql`insert into workflows (name, current, version, limits) select 'scripted', bundle, 2, '{"concurrency": 1}' from threads limit 1`
      await sql`insert into registry_events (seq, workflow, type, after, actor) select 2, 'scripted', 'limited', bundle, 'a' from threads limit 1`
      await sql`update threads set lease_expires_at = app_now() - interval '1 second' where id = ${ids.queued}`
      await sql`select claim_threads('third', 1, 60000, true, '{}', null)`
    })
    expect(found).toEqual({})
  })

  it('an unfinished child of an ended parent that is to be killed, or that somebody retried', async () => {
    const orphan = ({ sql }: Queryable) =>
      sql`update threads set parent_thread = ${ids.failed}, depth = 1 where id = ${ids.queued}`
    // What else is wrong with it: its start node says that nobody started it.
    const onlyThat = { heads: [ids.queued] }
    const killed = await violatedBy(async (tx) => {
      await orphan(tx)
      await tx.sql`insert into thread_tasks (kind, thread, actor, reason) values ('kill', ${ids.queued}, 'a', 'r')`
    })
    expect(killed).toEqual(onlyThat)
    const retried = await violatedBy(async (tx) => {
      await orphan(tx)
      await tx.sql`update threads set event_seq = event_seq + 1 where id = ${ids.queued}`
      await tx.sql`select tell(t, 'retried', 'a', 'r') from threads t where id = ${ids.queued}`
    })
    expect(retried).toEqual(onlyThat)
  })

  it('a queued thread that no free runner may take', async () => {
    const found = await violatedBy(async (tx) => {
      await runner(tx)
      await tx.sql`update threads set labels = '{gpu}' where id = ${ids.queued}`
    })
    expect(found).toEqual({})
  })
})

it('what is on its way is reported when it lasts, and only when a second look finds it too', async () => {
  await db.sql`insert into runners (id, host, pid, version, node_version, capacity) values ('slow', 'h', 1, '1', '20', 5)`
  expect((await checkInvariants(db)).ok).toBe(true)
  await moveClock(db, 31_000)
  await db.sql`update runners set heartbeat_at = app_now()`
  const report = await checkInvariants(db)
  expect(report.items.filter(({ ok }) => !ok)).toMatchObject([{ name: 'queue', violations: [{ id: ids.queued }] }])

  const looked = checkInvariants(db)
  await db.sql`select claim_one('slow', ${ids.queued}, 60000)`
  expect((await looked).ok).toBe(true)
})

it('at most 20 rows are named, and that there are more is said', async () => {
  await withTransaction(db, async (tx) => {
    for (let n = 0; n < 25; n++) await tx.sql`insert into pins (hash, owner) values (${`000000000000${n}`}, 'a')`
    const { items } = await checkInvariants(tx, { settleSeconds: 0 })
    const item = items.find(({ name }) => name === 'projections')
    expect(item).toMatchObject({ ok: false, truncated: true })
    expect(item?.violations).toHaveLength(20)
    await tx.sql`delete from pins`
  })
})
