import { beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '@/db/testing/test-database'
import type { Actor } from '@/server/access/actor'
import { initHash } from '@/server/cas/hash'
import { verifyThread } from '@/server/cas/verify'
import { addWorkflow } from '@/server/registry/add'
import { getThread } from './get'
import { startThread } from './start'

const db = await testDatabase()
const actor: Actor = { name: 'key:test', origin: 'api', role: 'owner' }
const source = (text: string) => `
  export const descriptor = { description: ${JSON.stringify(text)}, roles: {}, graph: { edges: [] } }
  export async function* run() { return { returnCode: 0, summary: 'done' } }`

beforeAll(async () => {
  await initHash()
  await addWorkflow(db, { name: 'demo', fileName: 'demo.esm.js', source: source('one') }, actor)
})

describe('starting a thread', () => {
  test('it is readable and queued when the call returns, with prompt, input, tags and one event', async () => {
    const started = await startThread(
      db,
      { workflow: 'demo', prompt: 'do it', input: { a: [1, null] }, tags: ['x'], maxRounds: 7 },
      actor,
    )
    expect(started).toMatchObject({ workflow: 'demo', status: 'queued', created: true })
    expect(await getThread(db, started.id)).toMatchObject({
      id: started.id,
      status: 'queued',
      prompt: 'do it',
      input: { a: [1, null] },
      tags: ['x'],
      maxRounds: 7,
      steps: 0,
      actor: 'key:test',
    })
    const events = await db.sql`select type, status, actor from thread_events where thread = ${started.id}`
    expect([...events]).toEqual([{ type: 'queued', status: 'queued', actor: 'key:test' }])
    expect(await verifyThread(db, started.id)).toMatchObject({ ok: true })
  })

  test('a prompt comes back byte for byte: NUL, lone surrogates, separators and all', async () => {
    const prompt = 'a\u0000b\u001f\u001ec \ud800 \udfff é 😀 \u2028 "\\" __proto__'
    const { id } = await startThread(db, { workflow: 'demo', prompt }, actor)
    expect(await getThread(db, id)).toMatchObject({ prompt })
    expect(await verifyThread(db, id)).toMatchObject({ ok: true })
  })

  test('equal starts share their start node and are still two threads', async () => {
    const [one, two] = await Promise.all([1, 2].map(() => startThread(db, { workflow: 'demo', prompt: 'same' }, actor)))
    expect(one?.id).not.toBe(two?.id)
    expect((await getThread(db, one?.id ?? '')).start).toBe((await getThread(db, two?.id ?? '')).start)
  })

  test('it is pinned to the bundle that was current, and name@hash runs an older one', async () => {
    const before = await startThread(db, { workflow: 'demo', prompt: 'p' }, actor)
    const { hash } = await addWorkflow(db, { name: 'demo', fileName: 'demo.esm.js', source: source('two') }, actor)
    const after = await startThread(db, { workflow: 'demo', prompt: 'p' }, actor)
    expect(after.bundle).toBe(hash)
    expect((await getThread(db, before.id)).bundle).toBe(before.bundle)
    expect(await startThread(db, { workflow: `demo@${before.bundle}`, prompt: 'p' }, actor)).toMatchObject({
      bundle: before.bundle,
    })
  })

  test.each([
    ['prompt', { prompt: 'x'.repeat(9 * 1024 * 1024) }],
    ['input', { input: ['x'.repeat(9 * 1024 * 1024)] }],
  ])('a %s above contentBytes is refused with the name of the bound, and nothing is written', async (_field, large) => {
    const count = async () => (await db.sql<{ n: number }[]>`select count(*)::int as n from threads`)[0]?.n
    const before = await count()
    await expect(startThread(db, { workflow: 'demo', prompt: 'p', ...large }, actor)).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
      data: { limit: 'contentBytes' },
    })
    expect(await count()).toBe(before)
  })

  test('an unknown workflow or version is NOT_FOUND', async () => {
    await expect(startThread(db, { workflow: 'nobody', prompt: '' }, actor)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
    await expect(startThread(db, { workflow: 'demo@0000000000000', prompt: '' }, actor)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
  })
})

describe('an idempotency key', () => {
  test('gives the same thread for the same input, also when twenty ask at once', async () => {
    const input = { workflow: 'demo', prompt: 'once', input: { b: 1, a: 2 }, idempotencyKey: 'key-1' }
    const started = await Promise.all(Array.from({ length: 20 }, () => startThread(db, input, actor)))
    expect(new Set(started.map(({ id }) => id)).size).toBe(1)
    expect(started.filter(({ created }) => created)).toHaveLength(1)
    const again = await startThread(db, { ...input, input: { a: 2, b: 1 } }, actor)
    expect(again).toMatchObject({ id: started[0]?.id, created: false })
    const rows = await db.sql`select id from threads where idempotency_key = 'key-1'`
    expect(rows).toHaveLength(1)
  })

  test('is a conflict that names the first thread when anything of the input differs', async () => {
    const first = await startThread(db, { workflow: 'demo', prompt: 'one', idempotencyKey: 'key-2' }, actor)
    for (const change of [{ prompt: 'two' }, { maxRounds: 3 }, { tags: ['t'] }, { dryRun: true }, { input: {} }]) {
      const input = { workflow: 'demo', prompt: 'one', idempotencyKey: 'key-2', ...change }
      await expect(startThread(db, input, actor)).rejects.toMatchObject({
        code: 'CONFLICT',
        data: { current: first.id },
      })
    }
  })

  test('is none of those by which a role finds its children again', async () => {
    const input = {
      workflow: 'demo',
      prompt: 'no child',
      idempotencyKey: 'cairn:child:01ARZ3NDEKTSV4RRFFQ69G5FAV:0000000000000:1',
    }
    await expect(startThread(db, input, actor)).rejects.toMatchObject({
      code: 'BAD_INPUT',
      data: { field: 'idempotencyKey' },
    })
  })

  test('still gives its thread after the workflow has another version', async () => {
    const first = await startThread(db, { workflow: 'demo', prompt: 'kept', idempotencyKey: 'key-3' }, actor)
    await addWorkflow(db, { name: 'demo', fileName: 'demo.esm.js', source: source('three') }, actor)
    expect(await startThread(db, { workflow: 'demo', prompt: 'kept', idempotencyKey: 'key-3' }, actor)).toMatchObject({
      id: first.id,
      bundle: first.bundle,
      created: false,
    })
  })
})

test('a start asks for no more rounds than the setting of its workflow allows', async () => {
  await db.sql`update workflows set limits = '{"maxRounds": 5}' where name = 'demo'`
  await expect(startThread(db, { workflow: 'demo', prompt: 'x', maxRounds: 6 }, actor)).rejects.toMatchObject({
    code: 'LIMIT_EXCEEDED',
    data: { limit: 'maxRounds', max: 5, actual: 6 },
  })
  expect(await startThread(db, { workflow: 'demo', prompt: 'x', maxRounds: 5 }, actor)).toMatchObject({
    status: 'queued',
  })
})
