import { beforeEach, describe, expect, it } from 'vitest'
import type { ClaimedRow } from '@/db/queries/threads/claim-threads'
import { claimThreads } from '@/db/queries/threads/claim-threads'
import { requeueThreads } from '@/db/queries/threads/keep-leases'
import { moveClock } from '@/db/testing/clock'
import { testDatabase } from '@/db/testing/test-database'
import { liftBundle } from '@/server/ops/quarantines'
import { limitWorkflow } from '@/server/registry/limit'
import { COUNTER, installBundle } from '@/server/runner/testing/bundles'
import type { WorkflowLimits } from './limits'
import { type StartInput, startThread } from './start'

const db = await testDatabase({ max: 8 })
const ACTOR = { name: 'ada', origin: 'api', role: 'owner' } as const
let workflow = ''
let named = 0

beforeEach(async () => {
  await db.sql`delete from threads`
  workflow = `bounded-${++named}`
  await installBundle(db, workflow, `${COUNTER}// ${workflow}`)
})

const limit = (limits: WorkflowLimits) => limitWorkflow(db, { name: workflow, limits }, ACTOR)
const start = (more: Partial<StartInput> = {}) => startThread(db, { workflow, prompt: 'go', ...more }, ACTOR)

async function startMany(count: number): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < count; n++) ids.push((await start()).id)
  return ids
}

type Claim = { capacity?: number; labels?: string[]; permissions?: string[] | null; sweep?: boolean; leaseMs?: number }

const claim = (
  runner: string,
  { capacity = 10, labels = [], permissions = null, sweep = false, leaseMs = 60_000 }: Claim = {},
) => claimThreads(db, { runner, capacity, leaseMs, sweep, labels, permissions })

const idsOf = (rows: ClaimedRow[]) => rows.map(({ id }) => id)
const release = (runner: string, held: ClaimedRow[], event: 'released' | 'crashed' = 'released') =>
  requeueThreads(db, { runner, held: held.map(({ id, token }) => ({ id, token })), event, reason: 'test', delayMs: 0 })

describe('concurrency', () => {
  it('holds over runners that claim at the same moment, and a place that gets free is taken', async () => {
    await limit({ concurrency: 3 })
    await startMany(20)
    const claims = await Promise.all(['r1', 'r2', 'r3', 'r4', 'r5', 'r6'].map((runner) => claim(runner)))
    expect(claims.flat()).toHaveLength(3)
    expect(await claim('r7')).toEqual([])
    const [first = []] = claims.filter((rows) => rows.length > 0)
    await release('any', first)
    expect(await claim('r7')).toHaveLength(first.length)
  })

  it('of one workflow lets others pass, also those behind it in the queue', async () => {
    await limit({ concurrency: 1 })
    const bounded = await startMany(15)
    const other = `free-${named}`
    await installBundle(db, other, `${COUNTER}// ${other}`)
    const free = await startThread(db, { workflow: other, prompt: 'go' }, ACTOR)
    expect(idsOf(await claim('r1', { capacity: 2 })).sort()).toEqual([bounded[0], free.id].sort())
  })

  it('holds as it was set last: no more are claimed until fewer run', async () => {
    await startMany(6)
    const held = await claim('r1', { capacity: 4 })
    await limit({ concurrency: 2 })
    expect(await claim('r2')).toEqual([])
    await release('r1', held.slice(0, 2))
    expect(await claim('r2')).toEqual([])
    await release('r1', held.slice(2, 3))
    expect(await claim('r2')).toHaveLength(1)
  })
})

describe('the queue', () => {
  it('is no longer than queueDepth, however many start at once; what is above it is recorded as dropped, with the reason', async () => {
    await limit({ queueDepth: 5 })
    const started = await Promise.all(Array.from({ length: 12 }, () => start()))
    const dropped = started.filter(({ status }) => status === 'dropped')
    expect(dropped).toHaveLength(7)
    for (const { why } of dropped)
      expect(why).toMatch(/^refused: 5 threads of .* are queued, the bound queueDepth is 5$/)
    const rows = await db.sql`
      select t.summary, e.type, e.reason from threads t join thread_events e on e.thread = t.id where t.status = 'dropped'`
    expect(rows).toHaveLength(7)
    for (const { summary, type, reason } of rows) expect({ type, reason }).toEqual({ type: 'dropped', reason: summary })
    expect(await claim('r1')).toHaveLength(5)
  })

  it('does not form where the overflow is drop: what is above the concurrency is dropped, running and queued ones together', async () => {
    await limit({ concurrency: 2, overflow: 'drop' })
    const [running] = await startMany(1)
    expect(idsOf(await claim('r1'))).toEqual([running])
    const started = await Promise.all(Array.from({ length: 5 }, () => start()))
    expect(started.filter(({ status }) => status === 'queued')).toHaveLength(1)
    expect(started.find(({ status }) => status === 'dropped')?.why).toMatch(
      /the bound concurrency is 2 and its overflow is drop$/,
    )
  })

  it('is in the order of priority, then of age; a workflow has one, and a start may ask for another', async () => {
    await limit({ priority: 5 })
    const usual = (await start()).id
    const low = (await start({ priority: -1 })).id
    const high = (await start({ priority: 9 })).id
    const later = (await start()).id
    const order: string[] = []
    for (let n = 0; n < 4; n++) order.push(...idsOf(await claim('r1', { capacity: 1 })))
    expect(order).toEqual([high, usual, later, low])
  })
})

describe('a runner', () => {
  it('takes no more threads than it has room for, expired ones of others included', async () => {
    await startMany(6)
    expect(await claim('gone', { capacity: 2, leaseMs: 0 })).toHaveLength(2)
    const taken = await claim('r1', { capacity: 3, sweep: true })
    expect(taken).toHaveLength(3)
    expect(taken.filter(({ crashes }) => crashes === 1)).toHaveLength(2)
  })

  it('takes only threads whose labels and permissions it has; labels of workflow and start add up', async () => {
    await limit({ labels: ['gpu'] })
    const thread = (await start({ labels: ['big'] })).id
    await db.sql`update threads set permissions = '{exec:git}'`
    expect(await claim('plain')).toEqual([])
    expect(await claim('gpu', { labels: ['gpu'] })).toEqual([])
    expect(await claim('unpermitted', { labels: ['gpu', 'big'], permissions: ['exec:npm'] })).toEqual([])
    await claim('able', { labels: ['gpu', 'big', 'more'], permissions: ['exec:git', 'exec:npm'], leaseMs: 0 })
    expect(await db.sql`select runner from threads where id = ${thread}`).toEqual([{ runner: 'able' }])
    expect(await claim('plain', { sweep: true })).toEqual([])
    expect(idsOf(await claim('all', { labels: ['gpu', 'big'], sweep: true }))).toEqual([thread])
  })
})

describe('a version that crashes', () => {
  /** One thread that is claimed and crashes, again and again. */
  async function crash(times: number): Promise<void> {
    for (let n = 0; n < times; n++) await release('r1', await claim('r1', { capacity: 1 }), 'crashed')
  }
  const quarantined = () => db.sql`select bundle from quarantines where lifted_at is null`

  it('more than 5 times in 60 s is in quarantine: its threads stay queued, other versions run, until it is lifted', async () => {
    const { bundle } = await start()
    await crash(5)
    expect(await quarantined()).toEqual([])
    await crash(1)
    expect(await quarantined()).toEqual([{ bundle }])
    expect(await claim('r1')).toEqual([])
    const [row] = await db.sql`select status from threads`
    expect(row).toEqual({ status: 'queued' })
    await installBundle(db, `other-${named}`, `${COUNTER}// other`)
    await startThread(db, { workflow: `other-${named}`, prompt: 'go' }, ACTOR)
    expect(await claim('r1')).toHaveLength(1)

    await liftBundle(db, { bundle }, ACTOR)
    await crash(5)
    expect(await quarantined()).toEqual([])
    await crash(1)
    expect(await quarantined()).toEqual([{ bundle }])
  })

  it('as often over a longer time is not', async () => {
    await start()
    await db.sql`delete from quarantines`
    for (let n = 0; n < 8; n++) {
      await crash(1)
      await moveClock(db, 13_000)
    }
    expect(await quarantined()).toEqual([])
  })
})
