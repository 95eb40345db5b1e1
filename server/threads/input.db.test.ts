import { describe, expect, it } from 'vitest'
import { testDatabase } from '@/db/testing/test-database'
import type { JsonObject } from '@/sdk/types'
import { hashBytes, initHash } from '@/server/cas/hash'
import { onTestPoint } from '@/server/kernel/test-point'
import { controlThread } from './control/control'
import { getThread } from './get'
import { giveInput, INPUT_LIMITS } from './input'
import { scriptedThread } from './testing/scripted-thread'
import { listInputs, listWaits } from './waits'

const db = await testDatabase()
await initHash()
const OPERATOR = { name: 'key:ann', role: 'operator' } as const
const ADMIN = { name: 'key:bob', role: 'admin' } as const
const RUNNER = 'runner-of-the-test'
const SUBJECT = hashBytes('the plan')
const APPROVAL: JsonObject = {
  type: 'object',
  properties: { ok: { type: 'boolean' } },
  required: ['ok'],
  additionalProperties: false,
}

type Question = {
  name?: string
  schema?: JsonObject | null
  subject?: string | null
  answerers?: object | null
  seen?: number
}

/** A thread that asks as a role would; resolves with what its runner is told. */
async function ask(
  id: string,
  { name = 'approve', schema = APPROVAL, subject = null, answerers = null, seen = 0 }: Question = {},
) {
  const [row] = await db.sql<{ outcome: string }[]>`
    select outcome from suspend_thread(${RUNNER}, ${id}, (select lease_token from threads where id = ${id}), (select head || '.1' from threads where id = ${id}), 'input', ${name}, 'Approve?',
      ${schema === null ? null : JSON.stringify(schema)}::text::json, ${subject}, ${answerers === null ? null : JSON.stringify(answerers)}::text::jsonb,
      null, null, '{}', 'all', ${seen}, null)`
  return row?.outcome
}

async function asking(question: Question = {}) {
  const { id } = await scriptedThread(db)
  expect(await ask(id, question)).toBe('suspended')
  return id
}

async function keyOf(id: string): Promise<string> {
  return `${(await getThread(db, id)).head}.1`
}

async function finish(...ids: string[]) {
  for (const id of ids) await controlThread(db, { id, command: 'kill' }, OPERATOR)
}

describe('an answer', () => {
  it('is stored with who gave it, answers the wait, and queues the thread', async () => {
    const id = await asking()
    expect(await giveInput(db, { id, value: { ok: true }, wait: await keyOf(id) }, OPERATOR)).toEqual({
      effect: 'answered',
      wait: await keyOf(id),
      status: 'queued',
    })
    expect((await listWaits(db, id)).items).toMatchObject([
      { status: 'answered', answer: { ok: true }, answeredBy: 'key:ann' },
    ])
    expect((await listInputs(db, id)).items).toMatchObject([
      { seq: 1, name: 'approve', value: { ok: true }, wait: await keyOf(id), actor: 'key:ann' },
    ])
    const events = await db.sql`select type, actor from thread_events where thread = ${id} order by seq desc limit 2`
    expect(events).toEqual([
      { type: 'woken', actor: 'key:ann' },
      { type: 'input', actor: 'key:ann' },
    ])
    await finish(id)
  })

  it('that does not fit the schema is refused with its path, and nothing is stored', async () => {
    const id = await asking()
    const refused = { code: 'BAD_INPUT', data: { field: 'value.ok' }, message: expect.stringContaining('ok: ') }
    await expect(giveInput(db, { id, value: { ok: 'yes' } }, OPERATOR)).rejects.toMatchObject(refused)
    expect((await listInputs(db, id)).items).toEqual([])
    expect((await getThread(db, id)).status).toBe('waiting')
    await finish(id)
  })

  it('is taken while the thread is paused, and is there when it goes on', async () => {
    const id = await asking()
    await controlThread(db, { id, command: 'pause' }, OPERATOR)
    expect(await giveInput(db, { id, value: { ok: false } }, OPERATOR)).toEqual({
      effect: 'answered',
      wait: await keyOf(id),
      status: 'paused',
    })
    await finish(id)
  })

  it('counts once: a second one for the same wait is a conflict, and stores nothing', async () => {
    const id = await asking()
    const wait = await keyOf(id)
    const both = await Promise.allSettled(
      [true, false].map((ok) => giveInput(db, { id, value: { ok }, wait }, OPERATOR)),
    )
    expect(both.map((one) => one.status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(both.find((one) => one.status === 'rejected')).toMatchObject({ reason: { code: 'CONFLICT' } })
    expect((await listInputs(db, id)).items).toHaveLength(1)
    await finish(id)
  })

  it('to something else than what is asked about does not count', async () => {
    const id = await asking({ subject: SUBJECT })
    const other = hashBytes('another plan')
    await expect(giveInput(db, { id, value: { ok: true }, subject: other }, OPERATOR)).rejects.toMatchObject({
      code: 'CONFLICT',
      data: { current: SUBJECT },
    })
    await expect(giveInput(db, { id, value: { ok: true } }, OPERATOR)).rejects.toMatchObject({
      code: 'BAD_INPUT',
      data: { field: 'subject' },
    })
    expect((await listInputs(db, id)).items).toEqual([])
    expect(await giveInput(db, { id, value: { ok: true }, subject: SUBJECT }, OPERATOR)).toMatchObject({
      effect: 'answered',
    })
    await finish(id)
  })

  it.each([
    [{ role: 'admin' }, OPERATOR, false],
    [{ role: 'admin' }, ADMIN, true],
    [{ role: 'author' }, ADMIN, true],
    [{ names: ['key:cid'] }, ADMIN, false],
    [{ names: ['key:ann'], role: 'owner' }, OPERATOR, true],
    [{ names: [] }, ADMIN, false],
    [{ role: 'king' }, ADMIN, false],
    [{}, OPERATOR, true],
  ])('to a wait for %j by %j is taken: %s', async (answerers, actor, taken) => {
    const id = await asking({ answerers })
    const given = giveInput(db, { id, value: { ok: true } }, actor)
    if (taken) expect(await given).toMatchObject({ effect: 'answered' })
    else await expect(given).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await finish(id)
  })
})

describe('an input that nothing has asked for yet', () => {
  it('is kept, and the wait that comes for it sees it', async () => {
    const { id } = await scriptedThread(db)
    expect(await giveInput(db, { id, value: { ok: true }, name: 'approve' }, OPERATOR)).toEqual({
      effect: 'stored',
      wait: null,
      status: 'running',
    })
    expect(await ask(id)).toBe('inputs')
    expect(await ask(id, { seen: 1 })).toBe('suspended')
    await finish(id)
  })

  it('is kept beside an open wait of another name, unchecked', async () => {
    const id = await asking()
    expect(await giveInput(db, { id, value: 'later', name: 'colour' }, OPERATOR)).toMatchObject({
      effect: 'stored',
      status: 'waiting',
    })
    await finish(id)
  })

  it('is refused above the bound, and above the size of one', async () => {
    const { id } = await scriptedThread(db)
    for (let n = 0; n < INPUT_LIMITS.keptInputs; n++) await giveInput(db, { id, value: n }, OPERATOR)
    await expect(giveInput(db, { id, value: 'one more' }, OPERATOR)).rejects.toMatchObject({
      code: 'LIMIT_EXCEEDED',
      data: { limit: 'keptInputs' },
    })
    const large = 'x'.repeat(INPUT_LIMITS.inputBytes)
    await expect(giveInput(db, { id, value: large }, OPERATOR)).rejects.toMatchObject({ data: { limit: 'inputBytes' } })
  })

  it('comes back as it was given, whatever JSON it is', async () => {
    const { id } = await scriptedThread(db)
    const values = [null, 'null', '"', '\u0000\ud800', 0.1, JSON.parse('{"__proto__":{"a":1},"b":[]}')]
    for (const value of values) await giveInput(db, { id, value }, OPERATOR)
    const { items } = await listInputs(db, id)
    expect(items.map((item) => JSON.stringify(item.value)).reverse()).toEqual(
      values.map((value) => JSON.stringify(value)),
    )
  })
})

describe('an input for a thread that ended', () => {
  it('is a conflict', async () => {
    const thread = await scriptedThread(db)
    await thread.end(0)
    await expect(giveInput(db, { id: thread.id, value: 1 }, OPERATOR)).rejects.toMatchObject({
      code: 'CONFLICT',
      data: { current: 'completed' },
    })
  })

  it('is a conflict also when it ended between the look and the write', async () => {
    const id = await asking()
    const off = onTestPoint('input:checked', async () => {
      off()
      await finish(id)
    })
    await expect(giveInput(db, { id, value: { ok: true } }, OPERATOR)).rejects.toMatchObject({
      code: 'CONFLICT',
      data: { current: 'killed' },
    })
    expect((await listInputs(db, id)).items).toEqual([])
  })
})

describe('an input beside the writing of its wait', () => {
  it.each(['before', 'after'])('is never lost when it comes just %s it', async (order) => {
    const { id } = await scriptedThread(db)
    let outcome: string | undefined
    const off = onTestPoint('input:checked', async () => {
      off()
      if (order === 'after') outcome = await ask(id)
    })
    const given = await giveInput(db, { id, value: { ok: true }, name: 'approve' }, OPERATOR)
    if (order === 'before') outcome = await ask(id)
    expect([outcome, given.effect]).toEqual(order === 'before' ? ['inputs', 'stored'] : ['suspended', 'answered'])
    await finish(id)
  })
})

describe('an input for a wait that its role has left behind', () => {
  it('is kept for the next one, and answers nothing that nobody reads', async () => {
    const thread = await scriptedThread(db)
    const { id } = thread
    await db.sql`insert into waits (thread, key, kind, name) values (${id}, (select head || '.1' from threads where id = ${id}), 'input', 'approve')`
    await thread.step('worker', 'did not ask again')
    expect(await giveInput(db, { id, value: 1, name: 'approve' }, OPERATOR)).toMatchObject({ effect: 'stored' })
  })
})
