import { TRPCClientError } from '@trpc/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testDatabase } from '@/db/testing/test-database'
import { createKey, revokeKey } from '@/server/access/keys'
import { newThreadId } from '@/server/kernel/ids'
import type { ThreadRecord } from '@/server/threads/records'
import { scriptedThread } from '@/server/threads/testing/scripted-thread'
import { createWatchHub } from '@/server/threads/watch'
import { clientOf, serveApi, type TestApi } from './testing/http-server'
import { openStream } from './testing/open-stream'
import { rawRequest } from './testing/raw-request'

const db = await testDatabase()
const hub = createWatchHub(db)
let api: TestApi
let key: string

beforeAll(async () => {
  api = await serveApi({ db, hub, embedded: true })
  key = (await createKey(db, 'test')).key
})
afterAll(async () => {
  await hub.close()
  await api.close()
})

const client = () => clientOf(api, key)

/** Watches as a client program does. */
function watch(id: string, lastEventId?: string) {
  const records: ThreadRecord[] = []
  const states: string[] = []
  const done = new Promise<void>((resolve, reject) => {
    client().thread.watch.subscribe(
      { id, lastEventId },
      {
        onData: ({ data }) => records.push(data),
        onConnectionStateChange: ({ state }) => states.push(state),
        onError: reject,
        onComplete: resolve,
      },
    )
  })
  return { records, states, done }
}

async function everyRecord(id: string): Promise<ThreadRecord[]> {
  return (await client().thread.records.query({ id, limit: 200 })).items
}

const errorOf = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof TRPCClientError)) throw new Error(`expected an error of the API, got ${String(error)}`)
  return error
}

it('a program with a key reads, writes and gets back what it wrote, in one batch or several', async () => {
  const text = 'NUL \u0000, a quote " and 𝄞'
  const { hash } = await client().cas.put.mutate({ text })
  const bytes = Buffer.from([0, 255, 10, 13, 128])
  const raw = await client().cas.put.mutate({ base64: bytes.toString('base64'), mediaType: 'image/png' })
  const batching = client()
  const [object, blob, refs, report, list, info] = await Promise.all([
    batching.cas.get.query({ hash }),
    batching.cas.get.query({ hash: raw.hash }),
    batching.cas.refs.query({ hash }),
    batching.cas.verify.query({ hash }),
    batching.cas.list.query({ type: 'content' }),
    batching.system.info.query({}),
  ])
  expect(JSON.parse(object.body ?? '')).toEqual({ type: 'content', payload: text, refs: [] })
  expect(Buffer.from(blob.base64 ?? '', 'base64')).toEqual(bytes)
  expect(refs).toEqual({ out: [], in: [] })
  expect(report).toMatchObject({ ok: true, findings: [] })
  expect(list.items.map((item) => item.hash)).toContain(hash)
  expect(info).toMatchObject({ node: process.versions.node, database: { embedded: true } })
})

it('the views of a thread agree with each other and with their schemas', async () => {
  const thread = await scriptedThread(db, { workflow: 'viewed', tags: ['nightly'] })
  await thread.step('role', 'content')
  await thread.end()
  const detail = await client().thread.get.query({ id: thread.id })
  const { items } = await client().thread.list.query({ workflow: 'viewed', tag: 'nightly', status: ['completed'] })
  const [{ waitsFor = 'no item', ...summary } = {}, ...more] = items
  expect(more).toEqual([])
  expect(waitsFor).toBe(null)
  expect(detail).toMatchObject(summary)
  expect((await everyRecord(thread.id)).map((record) => record.kind)).toEqual([
    'start',
    'status',
    'status',
    'step',
    'status',
    'end',
  ])
  expect(await client().runner.list.query({})).toEqual({ items: [] })
})

it('errors have a stable reason, a sentence, field paths and a request id', async () => {
  const missing = await errorOf(client().thread.get.query({ id: newThreadId() }))
  expect(missing.data).toMatchObject({ reason: 'NOT_FOUND', httpStatus: 404, details: { what: 'thread' } })
  expect(missing.data.requestId).toMatch(/^[\da-f-]{36}$/)
  expect(missing.data.stack).toBeUndefined()
  const wrong = await errorOf(client().thread.list.query({ limit: 201, tag: '' }))
  expect(wrong.data).toMatchObject({ reason: 'BAD_INPUT', httpStatus: 400 })
  expect(wrong.data.fields.map((field: { path: string }) => field.path).sort()).toEqual(['limit', 'tag'])
})

it.each([
  ['no credentials', {}, 401, 'UNAUTHORIZED'],
  ['a key that is not one', { authorization: 'Bearer cairn_nothing' }, 401, 'UNAUTHORIZED'],
  ['a foreign name of this server', { host: 'evil.example' }, 403, 'FORBIDDEN'],
  ['a page of another site', { origin: 'https://evil.example' }, 403, 'FORBIDDEN'],
])('over HTTP, %s is refused', async (_, headers, status, reason) => {
  const authorization = { authorization: `Bearer ${key}` }
  const sent = status === 401 ? headers : { ...authorization, ...headers }
  for (const [method, path] of [
    ['GET', '/api/trpc/system.info?input=%7B%7D'],
    ['POST', '/api/trpc/cas.put'],
  ] as const) {
    const answer = await rawRequest(api, {
      method,
      path,
      headers: sent,
      body: method === 'POST' ? '{"text":"x"}' : null,
    })
    expect(answer.status).toBe(status)
    expect(JSON.parse(answer.text)).toMatchObject({ error: { data: { reason } } })
  }
})

it('a revoked key is refused from the next call on', async () => {
  const other = await createKey(db, 'other')
  const holder = clientOf(api, other.key)
  await holder.runner.list.query({})
  await revokeKey(db, other.id)
  expect((await errorOf(holder.runner.list.query({}))).data).toMatchObject({ reason: 'UNAUTHORIZED' })
})

it('a form of another site cannot post, whatever it claims to send', async () => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'text/plain' }
  const answer = await rawRequest(api, { method: 'POST', path: '/api/trpc/cas.put', headers, body: '{"text":"x"}' })
  expect(answer.status).toBe(415)
})

it('a subscriber over HTTP gets each record as it is written, and its subscription completes after the end', async () => {
  const thread = await scriptedThread(db)
  const watching = watch(thread.id)
  for (let step = 1; step <= 5; step++) {
    await thread.step('role', `content ${step}`)
    await expect.poll(() => watching.records.filter((record) => record.kind === 'step').length).toBe(step)
  }
  await thread.end()
  await watching.done
  expect(watching.records).toEqual(await everyRecord(thread.id))
})

it('a subscriber that loses its connection again and again misses nothing and gets nothing twice', async () => {
  const thread = await scriptedThread(db)
  const watching = watch(thread.id)
  await expect.poll(() => watching.records.length).toBe(3)
  for (let round = 1; round <= 2; round++) {
    api.dropConnections()
    await thread.step('role', `while away ${round}`)
    await thread.say(`line ${round}`)
    await expect.poll(() => watching.records.length, { timeout: 15_000 }).toBe(3 + 2 * round)
  }
  await thread.end()
  await watching.done
  expect(watching.records).toEqual(await everyRecord(thread.id))
})

it('an event stream resumes after the id that the browser sends, and its last event says that it is over', async () => {
  const thread = await scriptedThread(db)
  await thread.step('role', 'one')
  await thread.step('role', 'two')
  await thread.end()
  const whole = await openStream(api, key, thread.id)
  const all = await whole.all()
  expect(all.at(0)?.event).toBe('connected')
  expect(all.at(-1)?.event).toBe('return')
  const records = all.filter((event) => event.id !== '')
  const third = records[2]
  const resumed = await (await openStream(api, key, thread.id, third?.id)).all()
  expect(resumed.filter((event) => event.id !== '')).toEqual(records.slice(3))
})

it('a quiet stream carries heartbeats, and leaving it leaves nothing behind', async () => {
  const thread = await scriptedThread(db)
  const stream = await openStream(api, key, thread.id)
  expect(await stream.until('ping')).toBe(true)
  await stream.leave()
  await expect.poll(() => hub.watchers(), { timeout: 5_000 }).toBe(0)
})

it('a subscription that is refused says why, and is not tried again', async () => {
  const unknown = watch(newThreadId())
  expect((await errorOf(unknown.done)).data).toMatchObject({ reason: 'NOT_FOUND' })
  const events = await (await openStream(api, 'cairn_nothing', newThreadId())).all()
  const refusal = events.find((event) => event.event === 'serialized-error')
  expect(refusal?.data).toContain('UNAUTHORIZED')
})

it('the list of threads ticks over HTTP', async () => {
  let ticks = 0
  const subscription = client().thread.watchList.subscribe({}, { onData: () => ticks++ })
  await expect.poll(() => ticks).toBe(1)
  await scriptedThread(db, { queued: true })
  await expect.poll(() => ticks, { timeout: 5_000 }).toBeGreaterThan(1)
  subscription.unsubscribe()
})
