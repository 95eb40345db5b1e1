import { describe, expect, it } from 'vitest'
import { testDatabase } from '@/db/testing/test-database'
import { verifyThread } from '@/server/cas/verify'
import { onTestPoint } from '@/server/kernel/test-point'
import { getThread } from '../get'
import { readRecords } from '../read-records'
import { scriptedThread } from '../testing/scripted-thread'
import { endThread, killThread } from './end-thread'

const db = await testDatabase()
const KILL = { actor: 'key:test', reason: 'enough' }

/** The thread's last steps, given back to the queue. */
async function queuedAfter(steps: number) {
  const thread = await scriptedThread(db)
  for (let n = 1; n <= steps; n++) await thread.step('worker', `step ${n}`)
  await db.sql`select requeue_threads('runner-of-the-test', array[${thread.id}], array[(select lease_token from threads where id = ${thread.id})], 'released', 'stopped', 0, null)`
  return thread
}

describe('an end that a command writes', () => {
  it.each([0, 1, 2, 3, 4, 7, 8, 9, 40])(
    'goes on the chain of a thread of %i steps so that verify finds nothing',
    async (steps) => {
      const thread = await queuedAfter(steps)
      expect(await endThread(db, { id: thread.id, returnCode: 124, summary: 'late', actor: 'engine' })).toBe('ended')
      expect(await getThread(db, thread.id)).toMatchObject({
        status: 'failed',
        returnCode: 124,
        summary: 'late',
        steps,
        height: steps + 1,
      })
      // Its bundle does not exist, and that is all.
      const { findings } = await verifyThread(db, thread.id)
      expect(findings.filter((finding) => finding.problem !== 'bundle')).toEqual([])
      const { items, finished } = await readRecords(db, thread.id, null, 100)
      expect(finished).toBe(true)
      expect(items.at(-1)).toMatchObject({ kind: 'end', status: 'failed', steps })
      expect(items.at(-2)).toMatchObject({ kind: 'status', type: 'finished', actor: 'engine', reason: 'late' })
    },
  )

  it('is written once: a second one finds the thread finished', async () => {
    const thread = await queuedAfter(1)
    const both = await Promise.all([
      killThread(db, { id: thread.id, ...KILL }),
      killThread(db, { id: thread.id, ...KILL }),
    ])
    expect(both.sort()).toEqual(['done', 'finished'])
    expect(await getThread(db, thread.id)).toMatchObject({
      status: 'killed',
      returnCode: 137,
      summary: 'Killed by key:test: enough',
    })
  })

  it('looks again when a runner claimed the thread between the look and the write, and asks that runner', async () => {
    const thread = await queuedAfter(2)
    const off = onTestPoint('end-thread:before-write', async () => {
      off()
      await db.sql`select * from claim_threads('other', 10, 60000, false, '{}', null)`
    })
    expect(await killThread(db, { id: thread.id, ...KILL })).toBe('requested')
    expect(await getThread(db, thread.id)).toMatchObject({ status: 'running', control: 'kill', runner: 'other' })
    const events =
      await db.sql`select type, actor, reason from thread_events where thread = ${thread.id} order by seq desc limit 1`
    expect(events[0]).toMatchObject({ type: 'kill_requested', actor: 'key:test', reason: 'enough' })
  })

  it('asks a runner once, however often it is asked for', async () => {
    const thread = await scriptedThread(db)
    expect(await killThread(db, { id: thread.id, ...KILL })).toBe('requested')
    expect(await killThread(db, { id: thread.id, ...KILL })).toBe('requested')
    const [row] =
      await db.sql`select count(*)::int as n from thread_events where thread = ${thread.id} and type = 'kill_requested'`
    expect(row).toEqual({ n: 1 })
  })

  it('leaves a task for each unfinished child, and wakes who waits for the thread', async () => {
    const [parent, child, waiter] = [
      await scriptedThread(db, { queued: true }),
      await scriptedThread(db, { queued: true }),
      await scriptedThread(db, { queued: true }),
    ]
    await db.sql`update threads set parent_thread = ${parent.id} where id = ${child.id}`
    await db.sql`insert into waits (thread, key, kind, targets) values (${waiter.id}, 'k', 'threads', array[${parent.id}])`
    await killThread(db, { id: parent.id, ...KILL })
    const tasks =
      await db.sql`select kind, thread from thread_tasks where thread in (${child.id}, ${waiter.id}) order by kind`
    expect(tasks).toEqual([
      { kind: 'kill', thread: child.id },
      { kind: 'wake', thread: waiter.id },
    ])
  })
})
