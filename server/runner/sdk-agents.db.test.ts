import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { moveClock } from '@/db/testing/clock'
import { testDatabase } from '@/db/testing/test-database'
import type { Json } from '@/sdk/types'
import { verifyThread } from '@/server/cas/verify'
import { threadIdSchema } from '@/server/kernel/ids'
import { addWorkflow } from '@/server/registry/add'
import { buildBundle } from '@/server/registry/build'
import { giveInput } from '@/server/threads/input'
import { begin, COUNTER, installBundle } from './testing/bundles'
import { startLocalRunner } from './testing/local-runner'
import { factsOf, untilEnded } from './testing/thread-facts'
import { until } from './testing/until'

const db = await testDatabase()
const ADA = { name: 'ada', role: 'owner', origin: 'api' } as const
let local: Awaited<ReturnType<typeof startLocalRunner>>

beforeAll(async () => {
  await installBundle(db, 'child', COUNTER)
  for (const name of ['parent', 'siblings', 'approval', 'sleeper']) {
    const { code } = await buildBundle(path.resolve(import.meta.dirname, `../../workflows/testing/${name}/index.ts`))
    await addWorkflow(db, { name, fileName: `${name}.esm.js`, source: code, grants: { exec: [] } }, ADA)
  }
  local = await startLocalRunner(db.url)
}, 60_000)
afterAll(() => local.stop())

type Step = { role: string; meta: Record<string, Json>; content: string; child_thread: string | null }

/** Role, meta, hash of the content and child of each step, in order. */
const stepsOf = (id: string) => db.sql<Step[]>`
  with recursive chain as (
    select s.* from threads t join state_nodes s on s.hash = t.head where t.id = ${id}
    union all select p.* from chain c join state_nodes p on p.hash = c.parent
  ) select role, body::json->'payload'->'meta' as meta, content, child_thread from chain where role <> '__end__' order by height`

/** The wait that a thread is suspended on. */
const openWait = async (id: string, key?: string) => {
  await until(
    () => db.sql`select 1 from waits w join threads t on t.id = w.thread
      where w.thread = ${id} and w.status = 'open' and t.status = 'waiting' and w.key is distinct from ${key ?? null}`,
    (rows) => rows.length === 1,
  )
  const [wait] = await db.sql<{ key: string; prompt: string; schema: Json; subject: string }[]>`
    select key, prompt, schema, subject from waits where thread = ${id} and status = 'open'`
  if (wait === undefined) throw new Error('The wait was answered meanwhile.')
  return wait
}
const verified = (id: string) => verifyThread(db, threadIdSchema.parse(id))

describe('an agent of the SDK, in a worker', { timeout: 60_000 }, () => {
  test('a workflow as agent: the step holds how the child ended and links to its end node', async () => {
    const id = await begin(db, 'parent', { steps: 3 })
    expect(await untilEnded(db, id)).toMatchObject({ status: 'completed', steps: 1 })
    const [step] = await stepsOf(id)
    const [child] = await db.sql`select status, steps, head from threads where parent_thread = ${id}`
    expect(child).toMatchObject({ status: 'completed', steps: 3 })
    expect(step?.meta).toMatchObject({ returnCode: 0, summary: 'counted' })
    expect(step?.child_thread).toBe(child?.head)
    expect(await verified(id)).toMatchObject({ ok: true })
  })

  test('three workflows as one agent: each child ran once, in the order asked for, and the history verifies', async () => {
    const id = await begin(db, 'siblings')
    expect(await untilEnded(db, id)).toMatchObject({ status: 'completed', steps: 1 })
    const [step] = await stepsOf(id)
    expect(step?.meta.threads).toMatchObject([1, 2, 3].map((steps) => ({ status: 'completed', steps })))
    const children = await db.sql`select id from threads where parent_thread = ${id}`
    expect(children).toHaveLength(3)
    expect(await verified(id)).toMatchObject({ ok: true })
  })

  test('a person as agent: asked about the draft by its hash, asked again what does not fit, and a refusal makes a new draft', async () => {
    const id = await begin(db, 'approval')
    const first = await openWait(id)
    const [draft] = await stepsOf(id)
    expect(first).toMatchObject({
      prompt: 'Approve of draft 1?',
      subject: draft?.content,
      schema: { type: 'object', required: ['approved'] },
    })
    await giveInput(db, { id, value: { approved: false }, subject: first.subject, wait: first.key }, ADA)
    const again = await openWait(id, first.key)
    expect(again.prompt).toContain('a refusal needs a reason')
    await giveInput(db, { id, value: { approved: false, why: 'dull' }, subject: again.subject, wait: again.key }, ADA)
    const second = await openWait(id, again.key)
    expect(second.prompt).toBe('Approve of draft 2?')
    expect(second.subject).not.toBe(first.subject)
    await giveInput(db, { id, value: { approved: true }, subject: second.subject, wait: second.key }, ADA)
    expect(await untilEnded(db, id)).toMatchObject({ status: 'completed', steps: 4, crashes: 0 })
    expect((await stepsOf(id)).map(({ role, meta }) => [role, meta])).toEqual([
      ['draft', { version: 1 }],
      ['approve', { approved: false, why: 'dull' }],
      ['draft', { version: 2 }],
      ['approve', { approved: true, why: '' }],
    ])
  })

  test('a wait for a time years ahead holds no process, and ends when the time comes', async () => {
    const years = 20 * 365 * 24 * 3600 * 1000
    const id = await begin(db, 'sleeper', { ms: years })
    await openWait(id)
    expect(await factsOf(db, id)).toMatchObject({ status: 'waiting', runner: null })
    await moveClock(db, years)
    expect(await untilEnded(db, id)).toMatchObject({ status: 'completed', steps: 1 })
  })
})
