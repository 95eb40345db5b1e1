import { describe, expect, it } from 'vitest'
import { withTransaction } from '@/db/client'
import { readTop } from '@/db/queries/threads/read-top'
import { moveClock } from '@/db/testing/clock'
import { testDatabase } from '@/db/testing/test-database'
import { verifyThread } from '@/server/cas/verify'
import { onTestPoint } from '@/server/kernel/test-point'
import { getThread } from '../get'
import { readRecords } from '../read-records'
import { scriptedThread } from '../testing/scripted-thread'
import { controlThread } from './control'
import { removeThread } from './remove'
import { retryThread } from './retry'

const db = await testDatabase()
const ACTOR = { name: 'key:test' }
const RUNNER = 'runner-of-the-test'

async function eventsOf(id: string): Promise<string[]> {
  const rows = await db.sql<{ type: string }[]>`select type from thread_events where thread = ${id} order by seq`
  return rows.map((row) => row.type)
}

/** What its runner does at the next yield. */
async function park(id: string): Promise<string> {
  const [row] = await db.sql<{ said: string }[]>`
    select park_thread(${RUNNER}, ${id}, (select lease_token from threads where id = ${id}), null) as said`
  return row?.said ?? ''
}

async function suspendForInput(id: string): Promise<void> {
  await db.sql`select suspend_thread(${RUNNER}, ${id}, (select lease_token from threads where id = ${id}), (select head || '.1' from threads where id = ${id}), 'input', 'approve',
    'Approve?', null, null, null, null, null, '{}', 'all', 0, null)`
}

describe('pause and resume', () => {
  it('pause a queued thread at once, and resume takes it back to the queue', async () => {
    const { id } = await scriptedThread(db, { queued: true })
    expect(await controlThread(db, { id, command: 'pause' }, ACTOR)).toEqual({
      effect: 'done',
      status: 'paused',
      control: null,
    })
    await moveClock(db, 60_000)
    expect(await controlThread(db, { id, command: 'resume' }, ACTOR)).toEqual({
      effect: 'done',
      status: 'queued',
      control: null,
    })
    expect((await getThread(db, id)).idleMs).toBeGreaterThanOrEqual(60_000)
    expect(await eventsOf(id)).toEqual(['queued', 'paused', 'resumed'])
    await removeThread(db, { id }, ACTOR)
  })

  it('leave a waiting thread its wake condition', async () => {
    const { id } = await scriptedThread(db)
    await suspendForInput(id)
    expect(await controlThread(db, { id, command: 'pause' }, ACTOR)).toMatchObject({ effect: 'done', status: 'paused' })
    expect((await getThread(db, id)).waiting).toMatchObject({ name: 'approve', status: 'open' })
    await removeThread(db, { id }, ACTOR)
  })

  it('are asked of a running thread, told once, and taken back with its event', async () => {
    const { id } = await scriptedThread(db)
    const asked = { effect: 'requested', status: 'running', control: 'pause' }
    expect(await controlThread(db, { id, command: 'pause', reason: 'look at it' }, ACTOR)).toEqual(asked)
    expect(await controlThread(db, { id, command: 'pause' }, ACTOR)).toEqual(asked)
    expect(await getThread(db, id)).toMatchObject({ controlActor: 'key:test', controlReason: 'look at it' })
    expect(await controlThread(db, { id, command: 'resume' }, ACTOR)).toEqual({
      effect: 'done',
      status: 'running',
      control: null,
    })
    expect(await park(id)).toBe('go')
    expect(await eventsOf(id)).toEqual(['queued', 'claimed', 'pause_requested', 'pause_cancelled'])
    await expect(controlThread(db, { id, command: 'resume' }, ACTOR)).rejects.toMatchObject({
      code: 'CONFLICT',
      data: { current: 'running' },
    })
  })

  it('wait for the effect when asked to', async () => {
    const { id } = await scriptedThread(db)
    const paused = controlThread(db, { id, command: 'pause', waitMs: 20_000 }, ACTOR)
    while ((await park(id)) === 'go') await getThread(db, id)
    expect(await paused).toEqual({ effect: 'done', status: 'paused', control: null })
  })

  it('say requested with the status, when the thread ended before it paused', async () => {
    const thread = await scriptedThread(db)
    const paused = controlThread(db, { id: thread.id, command: 'pause', waitMs: 20_000 }, ACTOR)
    while ((await getThread(db, thread.id)).control === null) await getThread(db, thread.id)
    await thread.end(0)
    expect(await paused).toEqual({ effect: 'requested', status: 'completed', control: null })
  })

  it('a kill replaces a pending pause, and is not taken back', async () => {
    const { id } = await scriptedThread(db)
    await controlThread(db, { id, command: 'pause' }, ACTOR)
    expect(await controlThread(db, { id, command: 'kill', reason: 'enough' }, ACTOR)).toMatchObject({
      effect: 'requested',
      control: 'kill',
    })
    for (const command of ['pause', 'resume'] as const) {
      await expect(controlThread(db, { id, command }, ACTOR)).rejects.toMatchObject({ code: 'CONFLICT' })
    }
    expect(await park(id)).toBe('kill')
    expect((await getThread(db, id)).controlReason).toBe('enough')
  })

  it('decides again when the thread was claimed between the look and the write', async () => {
    const { id } = await scriptedThread(db, { queued: true })
    const off = onTestPoint('control:decided', async () => {
      off()
      await db.sql`select * from claim_threads(${RUNNER}, 10, 60000, false, '{}', null)`
    })
    expect(await controlThread(db, { id, command: 'pause' }, ACTOR)).toEqual({
      effect: 'requested',
      status: 'running',
      control: 'pause',
    })
  })
})

describe('a retry', () => {
  it('goes on after the end, keeps the failure in the history, and clears what the end set', async () => {
    const thread = await scriptedThread(db)
    await thread.step('worker', 'one')
    await thread.end(1)
    expect(await retryThread(db, { id: thread.id, reason: 'the disk was full' }, ACTOR)).toEqual({
      effect: 'done',
      status: 'queued',
    })
    expect(await getThread(db, thread.id)).toMatchObject({
      status: 'queued',
      returnCode: null,
      summary: null,
      startedAt: null,
      finishedAt: null,
      steps: 1,
      height: 3,
      attempt: 1,
      idleMs: 0,
    })
    const { findings } = await verifyThread(db, thread.id)
    expect(findings.filter((finding) => finding.problem !== 'bundle')).toEqual([])
    const { items } = await readRecords(db, thread.id, null, 100)
    expect(items.map((item) => item.kind)).toEqual(['start', 'status', 'status', 'step', 'status', 'status'])
    expect(items.at(-1)).toMatchObject({ type: 'retried', actor: 'key:test', reason: 'the disk was full' })
    await controlThread(db, { id: thread.id, command: 'kill' }, ACTOR)
    expect(await retryThread(db, { id: thread.id }, ACTOR)).toMatchObject({ status: 'queued' })
    expect(await getThread(db, thread.id)).toMatchObject({ steps: 1, height: 5 })
    await removeThread(db, { id: thread.id }, ACTOR)
  })

  it('gives as much time as there was at first, at every retry', async () => {
    const thread = await scriptedThread(db)
    const { id } = thread
    await db.sql`update threads set deadline_at = created_at + interval '100 seconds' where id = ${id}`
    await db.sql`update thread_events set data = data || jsonb_build_object('deadlineAt', (select deadline_at from threads where id = ${id})) where thread = ${id} and seq = 1`
    await thread.end(1)
    for (let time = 1; time <= 2; time++) {
      await moveClock(db, 500_000)
      const { now } = await readTop(db, { head: '', start: '', above: 0 })
      await retryThread(db, { id }, ACTOR)
      const { deadlineAt } = await getThread(db, id)
      expect(Math.abs(Date.parse(deadlineAt ?? '') - now - 100_000)).toBeLessThan(10_000)
      await controlThread(db, { id, command: 'kill' }, ACTOR)
    }
  })

  it('happens once when two people ask for it', async () => {
    const thread = await scriptedThread(db)
    await thread.end(1)
    const both = await Promise.allSettled([1, 2].map(() => retryThread(db, { id: thread.id }, ACTOR)))
    expect(both.map((one) => one.status).sort()).toEqual(['fulfilled', 'rejected'])
    expect((await eventsOf(thread.id)).filter((type) => type === 'retried')).toHaveLength(1)
    await removeThread(db, { id: thread.id }, ACTOR)
  })
})

describe('a removal', () => {
  it('takes rows, waits, inputs and logs, and leaves nodes and events, with one that says who did it', async () => {
    const thread = await scriptedThread(db)
    const { id } = thread
    const step = await thread.step('worker', 'one')
    await thread.say('a line')
    await thread.end(0)
    await removeThread(db, { id, reason: 'a test' }, ACTOR)
    await expect(getThread(db, id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    const [left] = await db.sql`
      select (select count(*)::int from thread_logs where thread = ${id}) as logs, (select count(*)::int from state_nodes where hash = ${step}) as nodes`
    expect(left).toEqual({ logs: 0, nodes: 1 })
    const last =
      await db.sql`select type, status, actor, reason from thread_events where thread = ${id} order by seq desc limit 1`
    expect(last).toEqual([{ type: 'removed', status: 'completed', actor: 'key:test', reason: 'a test' }])
  })

  it('is an end for those who wait for the thread and for its children', async () => {
    const parent = await scriptedThread(db, { queued: true })
    const child = await scriptedThread(db, { queued: true })
    await db.sql`update threads set parent_thread = ${parent.id} where id = ${child.id}`
    await removeThread(db, { id: parent.id }, ACTOR)
    const tasks = await db.sql`select kind, reason from thread_tasks where thread = ${child.id}`
    expect(tasks).toEqual([{ kind: 'kill', reason: `its parent ${parent.id} ended as removed` }])
    await removeThread(db, { id: child.id }, ACTOR)
  })

  it('of a thread that was claimed between the look and the write is refused', async () => {
    const { id } = await scriptedThread(db, { queued: true })
    const off = onTestPoint('remove:before-write', async () => {
      off()
      await withTransaction(db, async ({ sql }) => {
        await sql`select * from claim_threads(${RUNNER}, 10, 60000, false, '{}', null)`
      })
    })
    await expect(removeThread(db, { id }, ACTOR)).rejects.toMatchObject({
      code: 'CONFLICT',
      data: { current: 'running' },
    })
  })
})

describe('retry', () => {
  it('takes back a kill that was left to be done: it was not meant for this life of the thread', async () => {
    const parent = await scriptedThread(db, { queued: true })
    const child = await scriptedThread(db, { queued: true })
    await db.sql`update threads set parent_thread = ${parent.id} where id = ${child.id}`
    await controlThread(db, { id: parent.id, command: 'kill' }, ACTOR)
    await controlThread(db, { id: child.id, command: 'kill' }, ACTOR)
    await retryThread(db, { id: child.id }, ACTOR)
    expect(await db.sql`select kind from thread_tasks where thread = ${child.id}`).toEqual([])
    for (const { id } of [parent, child]) await removeThread(db, { id }, ACTOR)
  })
})
