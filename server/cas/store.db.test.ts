import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Queryable, withTransaction } from '@/db/client'
import { referrersStatement } from '@/db/queries/cas/find-referrers'
import { testDatabase } from '@/db/testing/test-database'
import { AppError, isAppError } from '@/server/kernel/errors'
import { type Hash, hashSchema } from '@/server/kernel/ids'
import { MAX_OBJECT_BYTES } from './canonical'
import { digestOf, hashBytes, initHash } from './hash'
import { contentNode, encodeNode, refsOf, stateNode } from './nodes'
import { MAX_REFS, putBlob, putContent, putNode } from './put'
import { getObject, listObjects, objectRefs } from './store'
import { extend, writeHistory } from './testing/history'

const db = await testDatabase()
beforeAll(initHash)

const UNKNOWN = hashSchema.parse('0000000000000')

async function errorOf(work: Promise<unknown>): Promise<AppError> {
  try {
    await work
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error('it succeeded')
}

async function rowCount(): Promise<number> {
  const [row] = await db.sql<{ n: number }[]>`select count(*)::int as n from cas`
  return row?.n ?? 0
}

/** Puts other bytes under the address of this text, as a constructed collision would. */
async function occupy(q: Queryable, text: string, body: string): Promise<Hash> {
  const { hash } = contentNode(text, [])
  await q.sql`insert into blobs (hash, type, body, digest, size) values (${hash}, 'content', ${body}, ${digestOf(body, [])}, 1)`
  return hash
}

/** Resolves when another session waits for a lock of an open transaction. */
async function somebodyWaits(): Promise<void> {
  await expect
    .poll(async () => {
      const [row] = await db.sql<{ n: number }[]>`
        select count(*)::int as n from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into blobs%'`
      return row?.n
    })
    .toBe(1)
}

describe('put and get', () => {
  test('any text comes back exactly, NUL and lone surrogates included', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 }), async (units) => {
        const text = String.fromCharCode(...units)
        const object = await getObject(db, await putContent(db, text, []))
        expect(object.body).toBe(contentNode(text, []).body)
        expect(JSON.parse(object.body ?? '')).toEqual({ payload: text, refs: [], type: 'content' })
      }),
      { numRuns: 60 },
    )
  })

  test('any bytes come back exactly, also none and a view into a larger buffer', async () => {
    const large = randomBytes(5_000)
    for (const bytes of [new Uint8Array(0), Uint8Array.of(0, 255, 128), large.subarray(7, 4_000)]) {
      const hash = await putBlob(db, bytes, 'application/octet-stream')
      expect(await getObject(db, hash)).toMatchObject({
        hash: hashBytes(bytes),
        type: 'blob',
        body: null,
        base64: Buffer.from(bytes).toString('base64'),
        refs: [],
        size: bytes.length,
        digest: digestOf(bytes, []).toString('hex'),
        mediaType: 'application/octet-stream',
      })
    }
  })

  test('the digest covers the digests of the refs, in their order, repeats included', async () => {
    const a = await putContent(db, 'artifact a', [])
    const b = await putBlob(db, Buffer.from('artifact b'), 'text/plain')
    const digest = async (hash: Hash) => Buffer.from((await getObject(db, hash)).digest, 'hex')
    const refs = [b, a, b]
    const hash = await putContent(db, 'names them', refs)
    const expected = digestOf(contentNode('names them', refs).body, await Promise.all(refs.map(digest)))
    expect((await getObject(db, hash)).digest).toBe(expected.toString('hex'))
  })

  test('putting again, or twenty times at once, is one object', async () => {
    const before = await rowCount()
    const hashes = await Promise.all(Array.from({ length: 20 }, () => putContent(db, 'the same text', [])))
    expect(new Set(hashes).size).toBe(1)
    expect(await rowCount()).toBe(before + 1)
  })

  test('an unknown address is NOT_FOUND', async () => {
    expect(await errorOf(getObject(db, UNKNOWN))).toMatchObject({
      code: 'NOT_FOUND',
      data: { what: 'object', id: UNKNOWN },
    })
  })

  test('a state node gets its height and columns from its payload and parent', async () => {
    const history = await writeHistory(db, { steps: 3 })
    const rows =
      await db.sql`select hash, parent, height, role from state_nodes where start = ${history.start} and hash = any(${history.chain}) order by height`
    expect(rows.map((row) => [row.hash, row.parent, row.height])).toEqual(
      history.chain.map((hash, index) => [hash, history.chain[index - 1] ?? null, index + 1]),
    )
  })
})

describe('what put refuses, writing nothing', () => {
  test('other bytes under the same address: HASH_COLLISION', async () => {
    const hash = await occupy(db, 'collides', '{"payload":"other","refs":[],"type":"content"}')
    const before = await rowCount()
    expect(await errorOf(putContent(db, 'collides', []))).toMatchObject({ code: 'HASH_COLLISION', data: { hash } })
    expect(await rowCount()).toBe(before)
    expect((await getObject(db, hash)).body).toContain('other')
  })

  test('an address that an object of another table has: HASH_COLLISION', async () => {
    const history = await writeHistory(db, { steps: 1 })
    const { hash } = contentNode('taken', [])
    await db.sql`insert into start_nodes (hash, body, refs, digest, name, bundle, depth, prompt)
      values (${hash}, 'x', '{}', ${digestOf('x', [])}, 'n', ${hash}, 0, ${hash})`
    expect(await errorOf(putContent(db, 'taken', []))).toMatchObject({ code: 'HASH_COLLISION' })
    await db.sql`delete from start_nodes where hash = ${hash}`
    const state = stateNode({
      role: 'worker',
      meta: {},
      start: history.start,
      content: history.prompt,
      ancestors: [],
      compact: null,
      timestamp: 1,
      childThread: null,
    })
    await db.sql`insert into blobs (hash, type, body, digest, size) values (${state.hash}, 'content', 'x', ${digestOf('x', [])}, 1)`
    const payload = JSON.parse(state.body).payload
    expect(await errorOf(putNode(db, { type: 'state', payload, refs: state.refs }))).toMatchObject({
      code: 'HASH_COLLISION',
      data: { hash: state.hash },
    })
    await db.sql`delete from blobs where hash = ${state.hash}`
  })

  test('refs that do not exist: MISSING_REF naming each once', async () => {
    const stored = await putContent(db, 'stored', [])
    const other = hashBytes('never stored')
    const before = await rowCount()
    const error = await errorOf(putContent(db, 'dangling', [UNKNOWN, stored, other, UNKNOWN]))
    expect(error).toMatchObject({ code: 'MISSING_REF', data: { refs: [UNKNOWN, other] } })
    expect(error.message).toContain(other)
    expect(await rowCount()).toBe(before)
  })

  test('too many bytes or refs: LIMIT_EXCEEDED naming the limit', async () => {
    expect(await errorOf(putBlob(db, Buffer.alloc(MAX_OBJECT_BYTES + 1), 'text/plain'))).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      data: { limit: 'objectBytes', max: MAX_OBJECT_BYTES },
    })
    expect(
      await errorOf(
        putContent(
          db,
          'x',
          Array.from({ length: MAX_REFS + 1 }, () => UNKNOWN),
        ),
      ),
    ).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      data: { limit: 'refs', max: MAX_REFS },
    })
  })

  test('raw bytes that are the text of a node: one address holds one kind of object', async () => {
    const node = contentNode('planted before the real one', [])
    expect(await errorOf(putBlob(db, Buffer.from(node.body), 'application/json'))).toMatchObject({ code: 'BAD_INPUT' })
    expect(await putContent(db, 'planted before the real one', [])).toBe(node.hash)
    await putBlob(db, Buffer.from('{"payload":"no node"}'), 'application/json')
  })

  test('a node whose refs are not those of its payload: CORRUPT_NODE', async () => {
    const history = await writeHistory(db, { steps: 1 })
    const payload = { name: 'hello', hash: history.bundle, depth: 1, parentState: history.head }
    const refs = refsOf({ type: 'start', payload: { ...payload, parentState: null } }, [history.prompt])
    expect(await errorOf(putNode(db, { type: 'start', payload, refs }))).toMatchObject({ code: 'CORRUPT_NODE' })
  })
})

describe('two writers at one address', () => {
  const race = async (theirs: string, commit: boolean) => {
    const text = `race ${theirs.length} ${commit} ${randomBytes(4).toString('hex')}`
    let mine: Promise<Hash> | undefined
    const rollback = new Error('roll back')
    try {
      await withTransaction(db, async (tx) => {
        await occupy(tx, text, theirs === '' ? contentNode(text, []).body : theirs)
        mine = putContent(db, text, [])
        mine.catch(() => {})
        await somebodyWaits()
        if (!commit) throw rollback
      })
    } catch (error) {
      if (error !== rollback) throw error
    }
    return { mine, hash: contentNode(text, []).hash }
  }

  test('with equal bytes both succeed', async () => {
    const { mine, hash } = await race('', true)
    expect(await mine).toBe(hash)
  })

  test('with other bytes the second is told HASH_COLLISION', async () => {
    const { mine } = await race('{"payload":"other","refs":[],"type":"content"}', true)
    expect(await errorOf(Promise.resolve(mine))).toMatchObject({ code: 'HASH_COLLISION' })
  })

  test('when the first rolls back the second writes', async () => {
    const { mine, hash } = await race('{"payload":"other","refs":[],"type":"content"}', false)
    expect(await mine).toBe(hash)
    expect((await getObject(db, hash)).type).toBe('content')
  })
})

describe('list', () => {
  test('pages through every object of each type once, in the order of hashes', async () => {
    const history = await writeHistory(db, { steps: 5 })
    const end = history.head
    const payload = { threads: [{ threadId: history.id, workflow: 'hello', returnCode: 0 }] }
    await putNode(db, { type: 'group', payload, refs: [end] })
    for (const type of [undefined, 'blob', 'content', 'group', 'start', 'state'] as const) {
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const page = await listObjects(db, { type, cursor, limit: 3 })
        expect(page.items.length).toBeLessThanOrEqual(3)
        seen.push(...page.items.map((item) => item.hash))
        cursor = page.nextCursor ?? undefined
      } while (cursor !== undefined)
      const rows = await db.sql<{ hash: string }[]>`
        select hash from cas where ${type ?? null}::text is null or type = ${type ?? null} order by hash collate "C"`
      expect(seen.length).toBeGreaterThan(0)
      expect([...seen].sort()).toEqual(rows.map((row) => row.hash))
      expect(new Set(seen).size).toBe(seen.length)
    }
  })

  test('a cursor that is no hash is BAD_INPUT', async () => {
    const error = await errorOf(listObjects(db, { cursor: "' or 1=1", limit: 3 }))
    expect(isAppError(error, 'BAD_INPUT')).toBe(true)
  })
})

describe('refs', () => {
  test('of every object in a history are found from both ends', async () => {
    const artifact = await putBlob(db, Buffer.from('an artifact'), 'text/plain')
    const history = await writeHistory(db, { steps: 40, artifacts: [artifact] })
    const child = await writeHistory(db, {
      steps: 1,
      caller: { thread: history.id, state: history.chain[4] ?? history.head, depth: 1 },
    })
    const summary = await putContent(db, 'what happened so far', [])
    const other = await writeHistory(db, { steps: 0, ended: false })
    const caller = await extend(db, other, { content: summary, compact: summary, childThread: child.head })
    const incoming = async (hash: Hash) => (await objectRefs(db, hash)).in.map((ref) => ref.hash)

    expect(await incoming(artifact)).toEqual(expect.arrayContaining(history.contents.slice(0, 40)))
    expect(await incoming(history.contents[7] ?? UNKNOWN)).toEqual([history.chain[7]])
    expect(await incoming(child.head)).toEqual([caller])
    expect(await incoming(summary)).toEqual([caller])
    expect((await incoming(history.prompt)).includes(history.start)).toBe(true)
    const steps = [1, 2, 4, 8, 16, 32].map((back) => history.chain[4 + back])
    expect(new Set(await incoming(history.chain[4] ?? UNKNOWN))).toEqual(new Set([...steps, child.start]))
    expect((await objectRefs(db, caller)).out).toEqual([
      { hash: other.start, type: 'start' },
      { hash: summary, type: 'content' },
      { hash: summary, type: 'content' },
      { hash: child.head, type: 'state' },
    ])
  })

  test('answers come by index, whatever the store holds', async () => {
    const plan = await withTransaction(db, async (tx) => {
      await tx.sql`set local enable_seqscan = off`
      const rows = await tx.sql<{ 'QUERY PLAN': string }[]>`explain ${referrersStatement(tx, UNKNOWN, 10)}`
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    })
    expect(plan).not.toContain('Seq Scan')
  })
})

test('encoding what was stored gives its address again', async () => {
  const history = await writeHistory(db, { steps: 2 })
  const object = await getObject(db, history.head)
  expect(hashBytes(object.body ?? '')).toBe(history.head)
  expect(encodeNode(JSON.parse(object.body ?? '')).hash).toBe(history.head)
})
