import { expect } from 'vitest'
import type { Database } from '@/db/client'
import { deleteTask, readOrders } from '@/db/queries/runners/orders'
import { claimThreads } from '@/db/queries/threads/claim-threads'
import { heartbeat, requeueThreads } from '@/db/queries/threads/keep-leases'
import { parkThread } from '@/db/queries/threads/park-thread'
import { moveClock } from '@/db/testing/clock'
import { liftBundle, listQuarantines } from '@/server/ops/quarantines'
import { limitWorkflow } from '@/server/registry/limit'
import { controlThread } from '@/server/threads/control/control'
import { killThread } from '@/server/threads/control/end-thread'
import { removeThread } from '@/server/threads/control/remove'
import { retryThread } from '@/server/threads/control/retry'
import { forkThread } from '@/server/threads/fork'
import { giveInput } from '@/server/threads/input'
import { BOUNDS } from '@/server/threads/limits'
import { Waiting } from '../waiting'
import {
  claimable,
  isOver,
  isUnheld,
  type Life,
  type LifeThread,
  type LifeWait,
  letGo,
  moveHead,
  resolve,
  tellEnd,
  wake,
} from './life-model'
import { ACTOR, append, headOf, RUNNER, refusal, start } from './life-world'

export const LEASE_MS = 60_000
let texts = 0
const text = () => `text ${++texts}`

/** A step of a run: what the engine is asked, and what it must have done. `thread` picks one of those there are. */
export type Step = (db: Database, life: Life, thread: LifeThread) => Promise<void>

function add(
  life: Life,
  thread: Pick<LifeThread, 'id' | 'workflow' | 'head' | 'height' | 'steps' | 'parent' | 'depth'>,
): void {
  life.threads.set(thread.id, {
    ...thread,
    status: 'queued',
    control: null,
    token: 0,
    crashes: 0,
    attempt: 0,
    runner: null,
    events: 1,
    expired: false,
    children: [],
    kept: 0,
    wait: null,
  })
}

export async function begin(db: Database, life: Life, workflow: 'free' | 'narrow'): Promise<void> {
  const id = await start(db, workflow, null, text())
  add(life, { id, workflow, parent: null, depth: 0, ...(await headOf(db, id)) })
}

export const startNew =
  (workflow: 'free' | 'narrow'): Step =>
  (db, life) =>
    begin(db, life, workflow)

export const startChild: Step = async (db, life, thread) => {
  const refused = thread.status !== 'running' || thread.control === 'kill'
  const child = start(db, 'free', thread, text())
  if (thread.depth >= BOUNDS.maxDepth.default) return void expect(await refusal(child)).toBe('LIMIT_EXCEEDED')
  if (refused) return void expect(await refusal(child)).toBe('LeaseLost')
  const id = await child
  add(life, { id, workflow: 'free', parent: thread.id, depth: thread.depth + 1, ...(await headOf(db, id)) })
  thread.children.push(id)
}

export const claim =
  (runner: string, capacity: number, sweep: boolean): Step =>
  async (db, life) => {
    wake(life)
    const wanted = claimable(life, capacity, sweep)
    const rows = await claimThreads(db, { runner, capacity, leaseMs: LEASE_MS, sweep })
    expect(rows.map((row) => row.id)).toEqual(wanted.map((thread) => thread.id))
    for (const thread of wanted) {
      thread.crashes += thread.expired ? 1 : 0
      thread.events += thread.expired ? 2 : 1
      const { token, attempt } = thread
      Object.assign(thread, { status: 'running', runner, token: token + 1, attempt: attempt + 1, expired: false })
    }
  }

/** A step, or with `code` an end: that of a thread that is to be killed is 137, whatever was to be. */
export const appendTo =
  (code: number | null, tokensBehind: number): Step =>
  async (db, life, thread) => {
    const ends = code === null ? null : thread.control === 'kill' ? 137 : code
    const token = thread.token - tokensBehind
    const { head, answered } = await append(db, thread, { text: text(), token, code: ends })
    const holds = thread.status === 'running' && tokensBehind === 0
    expect(answered !== undefined).toBe(holds)
    if (!holds) return
    if (ends === null) {
      expect(answered?.control).toBe(thread.control)
      moveHead(thread, head, { step: true })
      thread.crashes = 0
      return
    }
    letGo(thread)
    moveHead(thread, head, { step: false })
    thread.status = ends === 0 ? 'completed' : ends === 137 ? 'killed' : 'failed'
    thread.events += 1
    tellEnd(life, thread)
  }

const MODES = ['all', 'any', 'success'] as const

/** By height, so that a role that runs again waits for the same; for children when there are some. */
function waitOf(thread: LifeThread): LifeWait {
  if (thread.wait !== null) return thread.wait
  const [first] = thread.children
  if (first !== undefined && thread.height % 4 !== 3) {
    return { kind: 'threads', targets: [...thread.children], mode: MODES[thread.children.length % 3] ?? 'all' }
  }
  return thread.height % 2 === 0 ? { kind: 'input' } : { kind: 'until', due: false }
}

export const waits: Step = async (db, life, thread) => {
  const wait = waitOf(thread)
  const lease = { thread: thread.id, token: thread.token, validUntil: Number.POSITIVE_INFINITY }
  const waiting = new Waiting(db, RUNNER, lease, { actor: 'test', depth: thread.depth })
  const asked = waiting.wait(await argsOf(db, wait), thread.head)
  if (thread.status !== 'running') return void expect(await refusal(asked)).toBe('LeaseLost')
  const outcome = await asked
  if (thread.control === 'kill') return void expect(outcome).toMatchObject({ stopped: 'kill' })
  thread.wait ??= { ...wait, answered: false }
  if (thread.wait.kind === 'input' && !thread.wait.answered && thread.kept > 0) {
    thread.kept -= 1
    thread.wait.answered = true
  }
  resolve(life, thread)
  if (thread.wait.answered) return void expect(outcome).toHaveProperty('answer')
  expect(outcome).toMatchObject({ stopped: 'suspended' })
  const pausing = thread.control === 'pause'
  letGo(thread)
  thread.status = pausing ? 'paused' : 'waiting'
  thread.events += pausing ? 2 : 1
  thread.crashes = 0
}

async function argsOf(db: Database, wait: LifeWait): Promise<object> {
  if (wait.kind === 'threads') return { kind: 'threads', targets: wait.targets, mode: wait.mode, timeoutMs: null }
  if (wait.kind === 'until') {
    const [row] = await db.sql<{ now: number }[]>`select app_now_ms() as now`
    return { kind: 'until', untilMs: (row?.now ?? 0) + LEASE_MS / 2 }
  }
  const rest = { schema: { type: 'string' }, subject: null, answerers: null, timeoutMs: null }
  return { kind: 'input', name: 'input', prompt: 'Go on?', ...rest }
}

export const input: Step = async (db, _life, thread) => {
  const given = giveInput(db, { id: thread.id, name: 'input', value: text() }, ACTOR)
  if (isOver(thread)) return void expect(await refusal(given)).toBe('CONFLICT')
  const { wait } = thread
  const answers = wait?.kind === 'input' && !wait.answered
  expect((await given).effect).toBe(answers ? 'answered' : 'stored')
  thread.events += 1
  if (!answers) {
    thread.kept += 1
    return
  }
  wait.answered = true
  if (thread.status !== 'waiting') return
  thread.status = 'queued'
  thread.events += 1
}

export const park: Step = async (db, _life, thread) => {
  const { id, token, control } = thread
  const parked = await parkThread(db, { runner: RUNNER, thread: id, token, forced: null })
  if (thread.status !== 'running') return void expect(parked).toBe('lost')
  expect(parked).toBe(control === 'pause' ? 'paused' : (control ?? 'go'))
  if (control !== 'pause') return
  letGo(thread)
  thread.status = 'paused'
  thread.events += 1
}

export const pause: Step = async (db, _life, thread) => {
  const done = refusal(controlThread(db, { id: thread.id, command: 'pause' }, ACTOR))
  if (isOver(thread) || thread.control === 'kill') return void expect(await done).toBe('CONFLICT')
  expect(await done).toBeNull()
  if (thread.status === 'paused' || thread.control === 'pause') return
  if (thread.status === 'running') thread.control = 'pause'
  else thread.status = 'paused'
  thread.events += 1
}

export const resume: Step = async (db, _life, thread) => {
  const done = refusal(controlThread(db, { id: thread.id, command: 'resume' }, ACTOR))
  const asked = thread.status === 'running' && thread.control === 'pause'
  if (!asked && thread.status !== 'paused') return void expect(await done).toBe('CONFLICT')
  expect(await done).toBeNull()
  if (asked) thread.control = null
  else thread.status = 'queued'
  thread.events += 1
}

export const kill: Step = async (db, life, thread) => {
  const done = refusal(controlThread(db, { id: thread.id, command: 'kill' }, ACTOR))
  if (isOver(thread)) return void expect(await done).toBe('CONFLICT')
  expect(await done).toBeNull()
  await killed(db, life, thread)
}

async function killed(db: Database, life: Life, thread: LifeThread): Promise<void> {
  if (isUnheld(thread)) {
    letGo(thread)
    moveHead(thread, (await headOf(db, thread.id)).head, { step: false })
    thread.status = 'killed'
    thread.events += 1
    tellEnd(life, thread)
  } else if (thread.status === 'running' && thread.control !== 'kill') {
    thread.control = 'kill'
    thread.events += 1
  }
}

export const retry: Step = async (db, life, thread) => {
  const done = refusal(retryThread(db, { id: thread.id }, ACTOR))
  if (thread.status !== 'failed' && thread.status !== 'killed') return void expect(await done).toBe('CONFLICT')
  expect(await done).toBeNull()
  moveHead(thread, (await headOf(db, thread.id)).head, { step: false })
  Object.assign(thread, { status: 'queued', crashes: 0 })
  thread.events += 1
  // What was to end its earlier life does not end this one.
  life.kills = life.kills.filter((id) => id !== thread.id)
}

export const remove: Step = async (db, life, thread) => {
  const done = refusal(removeThread(db, { id: thread.id }, ACTOR))
  if (thread.status === 'running') return void expect(await done).toBe('CONFLICT')
  expect(await done).toBeNull()
  life.threads.delete(thread.id)
  life.wakes.delete(thread.id)
  life.kills = life.kills.filter((id) => id !== thread.id)
  if (!isOver(thread)) tellEnd(life, thread)
}

export const fork: Step = async (db, life, thread) => {
  const { id, sharedSteps } = await forkThread(db, { id: thread.id }, ACTOR)
  expect(sharedSteps).toBe(Math.max(0, thread.steps - 1))
  const row = await headOf(db, id)
  expect(row.steps).toBe(sharedSteps)
  add(life, { id, workflow: thread.workflow, parent: null, depth: thread.depth, ...row })
}

export const requeue =
  (event: 'released' | 'crashed', tokensBehind: number): Step =>
  async (db, life, thread) => {
    const held = [{ id: thread.id, token: thread.token - tokensBehind }]
    const given = await requeueThreads(db, { runner: RUNNER, held, event, reason: 'test', delayMs: 0 })
    const holds = thread.status === 'running' && tokensBehind === 0
    expect(given).toEqual(holds ? [thread.id] : [])
    if (!holds) return
    const { control } = thread
    letGo(thread)
    thread.status = control === 'pause' ? 'paused' : 'queued'
    thread.events += control === 'pause' ? 2 : 1
    if (control === 'kill') life.kills.push(thread.id)
    if (event === 'released') return
    thread.crashes += 1
    life.crashes += 1
    life.quarantined ||= life.crashes > 5
  }

/** What a runner does that looks at its orders: ends, in order, what somebody left to be ended. */
export const orders: Step = async (db, life) => {
  const left = life.kills.splice(0)
  const found = (await readOrders(db, RUNNER)).filter((order) => order.kind === 'end')
  expect(found.map((order) => order.thread)).toEqual(left)
  for (const { thread: id, actor, reason, seq } of found) {
    const thread = life.threads.get(id)
    await refusal(killThread(db, { id, actor, reason }))
    await deleteTask(db, seq)
    if (thread !== undefined) await killed(db, life, thread)
  }
}

export const beat =
  (tokensBehind: number): Step =>
  async (db, life) => {
    const all = [...life.threads.values()]
    const held = all.map(({ id, token }) => ({ id, token: token - tokensBehind }))
    const { held: still } = await heartbeat(db, { runner: RUNNER, held, leaseMs: LEASE_MS, staleWrites: 0 })
    const kept = all.filter((thread) => thread.status === 'running' && tokensBehind === 0)
    expect(still).toEqual(new Set(kept.map((thread) => thread.id)))
    for (const thread of kept) thread.expired = false
  }

/** Leases run out, waits for a time are over, and crashes are long ago. */
export const expire: Step = async (db, life) => {
  await moveClock(db, LEASE_MS + 1_000)
  life.crashes = 0
  for (const thread of life.threads.values()) {
    if (thread.status === 'running') thread.expired = true
    if (thread.wait?.kind === 'until') thread.wait.due = true
  }
}

export const bound =
  (narrow: number | null): Step =>
  async (db, life) => {
    await limitWorkflow(db, { name: 'narrow', limits: narrow === null ? {} : { concurrency: narrow } }, ACTOR)
    life.narrow = narrow
  }

export const lift: Step = async (db, life) => {
  for (const { bundle } of await listQuarantines(db)) await liftBundle(db, { bundle }, ACTOR)
  if (life.quarantined) life.crashes = 0
  life.quarantined = false
}
