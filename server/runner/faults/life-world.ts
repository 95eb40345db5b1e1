import { expect } from 'vitest'
import type { Database } from '@/db/client'
import { appendSteps } from '@/db/queries/threads/append-steps'
import { isAppError } from '@/server/kernel/errors'
import { END } from '@/server/kernel/ids'
import { checkInvariants } from '@/server/ops/invariants/check-invariants'
import { addWorkflow } from '@/server/registry/add'
import { limitWorkflow } from '@/server/registry/limit'
import { buildNext, linkedContent, loadTop } from '@/server/threads/chain-top'
import { startThread } from '@/server/threads/start'
import type { Life, LifeThread } from './life-model'

export const ACTOR = { name: 'test', origin: 'api', role: 'owner' } as const
export const RUNNER = 'runner-a'
/** More than any clock of a test is moved by: what is on its way is no violation in the middle of a run. */
const NEVER_SETTLES = 10_000_000

/** Never run: the model's runners take the part of its workers. */
const SOURCE = `export const descriptor = {
  description: 'A thread of the model.',
  roles: { work: { description: 'A step.', schema: { type: 'object' } } },
  graph: { edges: [] },
}
export async function* run() {
  return { returnCode: 0, summary: 'done' }
}
`

export async function installWorkflows(db: Database): Promise<void> {
  for (const name of ['free', 'narrow']) {
    await addWorkflow(db, { name, fileName: `${name}.esm.js`, source: SOURCE }, ACTOR)
  }
}

export async function clear(db: Database): Promise<void> {
  await db.sql`truncate threads, thread_events, waits, thread_inputs, thread_tasks, quarantines, bundle_crashes`
  await limitWorkflow(db, { name: 'narrow', limits: {} }, ACTOR)
}

/** Starts a thread, as a child of `parent` where one is given; undefined when that one may start nothing. */
export async function start(
  db: Database,
  workflow: 'free' | 'narrow',
  parent: LifeThread | null,
  prompt: string,
): Promise<string> {
  const caller = parent && { thread: parent.id, token: parent.token, state: parent.head, depth: parent.depth }
  return (await startThread(db, { workflow, prompt }, ACTOR, caller)).id
}

/** Appends a step, or the end with this return code, as a runner that holds the thread under `token` does. */
export async function append(
  db: Database,
  thread: LifeThread,
  { text, token, code }: { text: string; token: number; code: number | null },
): Promise<{ head: string; answered: { control: string | null } | undefined }> {
  const [row] = await db.sql<{ start: string }[]>`select start from threads where id = ${thread.id}`
  if (row === undefined) throw new Error('the thread of a model has a row')
  const top = await loadTop(db, thread.head, row.start)
  const content = linkedContent(text)
  const role = code === null ? 'work' : END
  const meta = code === null ? { text } : { returnCode: code, summary: text }
  const node = buildNext(top, { role, meta, content, childThread: null, now: top.now })
  const status = code === 0 ? 'completed' : code === 137 ? 'killed' : 'failed'
  const digest = (bytes: Buffer) => bytes.toString('hex')
  const step = { ...node, digest: digest(node.digest), role, start: row.start, content: content.hash }
  const end = code === null ? {} : { end: { status, returnCode: code, summary: text } as const }
  const of = { thread: thread.id, token }
  const [answered] = await appendSteps(db, {
    runner: RUNNER,
    notify: false,
    steps: [{ ...of, ...step, expected: thread.head, counted: code === null, childThread: null, ...end }],
    contents: [{ ...of, hash: content.hash, refs: [], digest: digest(content.digest), body: content.body }],
  })
  return { head: node.hash, answered }
}

/** The code of the error that a command is refused with, and null when it is not. */
export async function refusal(work: Promise<unknown>): Promise<string | null> {
  try {
    await work
    return null
  } catch (error) {
    if (isAppError(error)) return error.code
    if (error instanceof Error && error.name === 'LeaseLost') return error.name
    throw error
  }
}

export async function headOf(db: Database, id: string): Promise<{ head: string; height: number; steps: number }> {
  const [row] = await db.sql<{ head: string; height: number; steps: number }[]>`
    select head, height, steps from threads where id = ${id}`
  if (row === undefined) throw new Error('the thread of a model has a row')
  return row
}

/** The rows are what the model says, and every invariant holds. */
export async function expectSame(db: Database, life: Life, settleSeconds = NEVER_SETTLES): Promise<void> {
  const rows = await db.sql`
    select id, status, control, lease_token as token, head, height, steps, crashes, attempt, runner, event_seq as events
    from threads order by id`
  const expected = [...life.threads.values()]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ id, status, control, token, head, height, steps, crashes, attempt, runner, events }) => {
      return { id, status, control, token, head, height, steps, crashes, attempt, runner, events }
    })
  expect([...rows]).toEqual(expected)
  const told = await db.sql<{ thread: string; n: number; last: number }[]>`
    select thread, count(*)::int as n, max(seq) as last from thread_events group by thread`
  for (const { thread, n, last } of told) {
    expect(n).toBe(last)
    const { events } = life.threads.get(thread) ?? { events: n }
    expect(n).toBe(events)
  }
  const report = await checkInvariants(db, { deep: true, settleSeconds })
  expect(report.items.filter((item) => !item.ok)).toEqual([])
}
