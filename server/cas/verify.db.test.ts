import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { withTransaction } from '@/db/client'
import { testDatabase } from '@/db/testing/test-database'
import { isAppError } from '@/server/kernel/errors'
import { END, FORK_MARKER, type Hash, hashSchema, newThreadId } from '@/server/kernel/ids'
import type { VerifyReport } from '@/server/threads/views'
import { digestOf, hashBytes, initHash } from './hash'
import { ancestorsFor, type StatePayload } from './nodes'
import { putBlob, putContent, putNode } from './put'
import { collide } from './testing/collision'
import { damaging } from './testing/damage'
import { extend, type History, writeHistory } from './testing/history'
import { verifyObject, verifyThread, verifyTree } from './verify'

const db = await testDatabase()
beforeAll(initHash)

const damaged = damaging(db)
const UNKNOWN = hashSchema.parse('0000000000000')

function named(report: VerifyReport): string[] {
  return [...new Set(report.findings.map((finding) => finding.hash))]
}

/** A caller with a child, artifacts and a summary: one object of every type and a value in every column. */
async function family(): Promise<{
  parent: History
  child: History
  artifact: Hash
  listed: Hash
  group: Hash
  summary: Hash
}> {
  const artifact = await putBlob(db, randomBytes(40), 'image/png')
  const listed = await putContent(db, `listed ${randomBytes(8).toString('hex')}`, [artifact])
  const parent = await writeHistory(db, {
    steps: 3,
    artifacts: [listed],
    ended: false,
    prompt: randomBytes(8).toString('hex'),
  })
  const child = await writeHistory(db, { steps: 2, caller: { thread: parent.id, state: parent.head, depth: 1 } })
  const payload = { threads: [{ threadId: child.id, workflow: 'hello', returnCode: 0 }] }
  const group = await putNode(db, { type: 'group', payload, refs: [child.head] })
  const summary = await putContent(db, `summary ${randomBytes(8).toString('hex')}`, [])
  await extend(db, parent, { content: summary, compact: summary, childThread: group })
  await extend(db, parent, { content: parent.prompt, childThread: child.head })
  await extend(db, parent, { role: END, content: parent.prompt, meta: { returnCode: 7, summary: 'seven' } })
  await db.sql`update threads set head = ${parent.head}, height = 6, steps = 5, status = 'failed', return_code = 7 where id = ${parent.id}`
  return { parent, child, artifact, listed, group, summary }
}

describe('an intact history', () => {
  test('is ok, counts what it read, and its head digest is the stored one', async () => {
    const { parent, child } = await family()
    const report = await verifyThread(db, parent.id)
    expect(report).toMatchObject({ ok: true, findings: [], affectedThreads: [] })
    const [row] = await db.sql<{ digest: Buffer }[]>`select digest from state_nodes where hash = ${parent.head}`
    expect(report.headDigest).toBe(row?.digest.toString('hex'))
    // Parent: start, prompt, 3 contents, 6 states, summary, listed content, artifact; child: start, prompt, 2 contents, 3 states; group.
    expect(report.nodes).toBe(14 + 7 + 1)
    expect(await verifyThread(db, child.id)).toMatchObject({ ok: true })
    expect(await verifyTree(db, parent.head)).toMatchObject({ ok: true, nodes: 22, headDigest: report.headDigest })
    expect(await verifyObject(db, parent.head)).toMatchObject({ ok: true, nodes: 1, headDigest: report.headDigest })
  })

  test('is ok at every length, also with nothing but a start node', async () => {
    for (const steps of [0, 1, 2, 3, 33]) {
      for (const ended of [true, false]) {
        const { id } = await writeHistory(db, { steps, ended })
        expect(await verifyThread(db, id)).toMatchObject({ ok: true, findings: [] })
      }
    }
  })

  test('of YAML nodes of the predecessor is ok', async () => {
    const history = await writeHistory(db, { steps: 0, ended: false })
    const [start, prompt] = [history.start, history.prompt]
    const body = `type: state\npayload:\n  role: worker\n  meta: {}\n  start: ${start}\n  content: ${prompt}\n  ancestors: []\n  compact: null\n  timestamp: 5\nrefs:\n  - ${start}\n  - ${prompt}\n`
    const digests = await db.sql<{ digest: Buffer }[]>`
      select digest from start_nodes where hash = ${start} union all select digest from blobs where hash = ${prompt}`
    await db.sql`insert into state_nodes (hash, body, refs, digest, role, start, content, height, timestamp)
      values (${hashBytes(body)}, ${body}, ${[start, prompt]}, ${digestOf(
        body,
        digests.map((d) => d.digest),
      )}, 'worker', ${start}, ${prompt}, 1, 5)`
    expect(await verifyTree(db, hashBytes(body))).toMatchObject({ ok: true, findings: [], nodes: 3 })
  })

  test('an unknown thread or object is NOT_FOUND', async () => {
    const works = [
      () => verifyThread(db, newThreadId()),
      () => verifyTree(db, UNKNOWN),
      () => verifyObject(db, UNKNOWN),
    ]
    for (const work of works) {
      await expect(work()).rejects.toSatisfy((error) => isAppError(error, 'NOT_FOUND'))
    }
  })
})

const { parent, child, artifact, listed, group, summary } = await family()
const stateBody = new Map(
  (
    await db.sql<{ hash: string; body: string }[]>`select hash, body from state_nodes where start = ${parent.start}`
  ).map((state) => [state.hash, state.body]),
)

describe('one value changed by SQL', () => {
  const [middle, first] = [parent.chain[2], parent.chain[0]]
  const caller = parent.chain[3]
  const content = parent.contents[1]
  /** One character of a text, somewhere in the middle. */
  const nudge = (column: string) =>
    `${column} = overlay(${column} placing (case substr(${column}, 30, 1) when 'x' then 'y' else 'x' end) from 30 for 1)`
  const flip = (column: string) => `${column} = set_byte(${column}, 5, get_byte(${column}, 5) # 1)`

  test.each([
    ['body of a state node', 'state_nodes', nudge('body'), middle, 'hash'],
    ['refs of a state node, one less', 'state_nodes', 'refs = refs[2:]', middle, 'refs'],
    ['refs of a state node, two swapped', 'state_nodes', 'refs[1] = refs[2], refs[2] = refs[1]', middle, 'refs'],
    ['refs of a state node, all gone', 'state_nodes', `refs = '{}'`, middle, 'refs'],
    ['digest of a state node', 'state_nodes', flip('digest'), middle, 'digest'],
    ['digest of the head', 'state_nodes', flip('digest'), parent.head, 'digest'],
    ['role', 'state_nodes', `role = 'worked'`, middle, 'columns'],
    ['start', 'state_nodes', `start = '${child.start}'`, middle, 'columns'],
    ['content', 'state_nodes', `content = '${parent.prompt}'`, middle, 'columns'],
    ['parent', 'state_nodes', `parent = '${first}'`, middle, 'columns'],
    ['parent, gone', 'state_nodes', 'parent = null', middle, 'columns'],
    ['height', 'state_nodes', 'height = height + 1', middle, 'columns'],
    ['height of the head', 'state_nodes', 'height = height + 1', parent.head, 'columns'],
    ['compact', 'state_nodes', 'compact = null', caller, 'columns'],
    ['child_thread', 'state_nodes', `child_thread = '${child.head}'`, caller, 'columns'],
    ['timestamp', 'state_nodes', 'timestamp = timestamp + 1', middle, 'columns'],
    ['body of a start node', 'start_nodes', nudge('body'), parent.start, 'hash'],
    ['refs of a start node', 'start_nodes', `refs = refs || '${UNKNOWN}'::text`, parent.start, 'refs'],
    ['digest of a start node', 'start_nodes', flip('digest'), parent.start, 'digest'],
    ['name', 'start_nodes', `name = 'hallo'`, parent.start, 'columns'],
    ['bundle', 'start_nodes', `bundle = '${UNKNOWN}'`, parent.start, 'columns'],
    ['depth', 'start_nodes', 'depth = depth + 1', parent.start, 'columns'],
    ['parent_state', 'start_nodes', `parent_state = '${first}'`, child.start, 'columns'],
    ['prompt', 'start_nodes', `prompt = '${summary}'`, parent.start, 'columns'],
    ['body of a content', 'blobs', nudge('body'), content, 'hash'],
    ['body of a prompt', 'blobs', nudge('body'), parent.prompt, 'hash'],
    ['body of a summary', 'blobs', nudge('body'), summary, 'hash'],
    ['refs of a content', 'blobs', `refs = '{}'`, content, 'refs'],
    ['digest of a content', 'blobs', flip('digest'), content, 'digest'],
    ['type of a content', 'blobs', `type = 'group'`, content, 'columns'],
    ['size of a content', 'blobs', 'size = size + 1', content, 'columns'],
    ['media type of a content', 'blobs', `media_type = 'text/plain'`, content, 'columns'],
    ['body turned into raw bytes', 'blobs', `raw = convert_to(body, 'UTF8'), body = null`, content, 'columns'],
    ['body of a group', 'blobs', nudge('body'), group, 'hash'],
    ['bytes of a raw blob', 'blobs', flip('raw'), artifact, 'hash'],
    ['refs of a raw blob', 'blobs', `refs = array['${UNKNOWN}']`, artifact, 'refs'],
    ['digest of a raw blob', 'blobs', flip('digest'), artifact, 'digest'],
    ['type of a raw blob', 'blobs', `type = 'content'`, artifact, 'columns'],
    ['size of a raw blob', 'blobs', 'size = size - 1', artifact, 'columns'],
    ['body of a content below a content', 'blobs', nudge('body'), listed, 'hash'],
    ['body of a node of the child', 'state_nodes', nudge('body'), child.chain[1], 'hash'],
    ['source of the bundle', 'bundles', `source = source || ' '`, parent.bundle, 'bundle'],
    ['digest of the bundle', 'bundles', flip('digest'), parent.bundle, 'bundle'],
    ['size of the bundle', 'bundles', 'size = size + 1', parent.bundle, 'bundle'],
  ])('%s: that object is named, and it alone', async (_what, table, change, hash, problem) => {
    await damaged(`update ${table} set ${change} where hash = '${hash}'`, async (verify) => {
      const report = await verify(parent.id)
      expect(report.ok).toBe(false)
      expect(named(report)).toEqual([hash])
      expect(report.findings.map((finding) => finding.problem)).toContain(problem)
      expect(report.affectedThreads).toContain(parent.id)
    })
    expect((await verifyThread(db, parent.id)).ok).toBe(true)
  })

  test.each([
    ['state_nodes', middle],
    ['state_nodes', parent.head],
    ['start_nodes', parent.start],
    ['blobs', content],
    ['blobs', artifact],
    ['state_nodes', child.head],
  ])('a row gone from %s: it is named as missing', async (table, hash) => {
    await damaged(`delete from ${table} where hash = '${hash}'`, async (verify) => {
      const report = await verify(parent.id)
      expect(named(report)).toEqual([hash])
      expect(report.findings[0]?.problem).toBe('missing')
      expect(report.affectedThreads).toContain(parent.id)
    })
  })

  test('a row under another address: the old one is missing', async () => {
    await damaged(`update state_nodes set hash = '${UNKNOWN}' where hash = '${middle}'`, async (verify) => {
      expect((await verify(parent.id)).findings).toMatchObject([{ hash: middle, problem: 'missing' }])
    })
  })

  test('every byte of a state node, one after the other', async () => {
    const [row] = await db.sql<{ n: number }[]>`select length(body) as n from state_nodes where hash = ${middle ?? ''}`
    await withTransaction(db, async (tx) => {
      for (let at = 1; at <= (row?.n ?? 0); at += 7) {
        await tx.sql`update state_nodes set body = overlay(body placing (case substr(body, ${at}::int, 1) when 'x' then 'y' else 'x' end) from ${at}::int for 1) where hash = ${middle ?? ''}`
        const report = await verifyThread(tx, parent.id)
        expect(report.findings).toMatchObject([{ hash: middle, type: 'state', problem: 'hash' }])
        await tx.sql`update state_nodes set body = ${stateBody.get(middle ?? '') ?? ''} where hash = ${middle ?? ''}`
      }
    })
  })

  test.each([
    ['workflow', `workflow = 'other'`],
    ['bundle', `bundle = '${UNKNOWN}'`],
    ['start', `start = '${child.start}'`],
    ['head', `head = '${middle}'`],
    ['height', 'height = height - 1'],
    ['steps', 'steps = steps + 1'],
    ['depth', 'depth = 3'],
    ['status', `status = 'completed'`],
    ['status, as if it ran', `status = 'running'`],
    ['return_code', 'return_code = 0'],
  ])('column %s of the thread: its row is named', async (_column, change) => {
    await damaged(`update threads set ${change} where id = '${parent.id}'`, async (verify) => {
      const report = await verify(parent.id)
      expect(report.findings.map((finding) => [finding.type, finding.problem])).toContainEqual(['thread', 'columns'])
      expect(report.findings[0]?.message).toContain(parent.id)
      expect(report.affectedThreads).toContain(parent.id)
    })
  })

  test('a workflow that returns 137 itself has failed, and one that was killed was killed: both are right', async () => {
    const history = await writeHistory(db, { steps: 1, ended: false })
    const head = await extend(db, history, {
      role: END,
      content: history.prompt,
      meta: { returnCode: 137, summary: '' },
    })
    for (const [status, ok] of [
      ['failed', true],
      ['killed', true],
      ['completed', false],
    ] as const) {
      await db.sql`update threads set head = ${head}, height = 2, status = ${status}, return_code = 137 where id = ${history.id}`
      expect((await verifyThread(db, history.id)).ok).toBe(ok)
    }
  })

  test('a thread that says it is over without an end node is found', async () => {
    const open = await writeHistory(db, { steps: 1, ended: false })
    await damaged(`update threads set status = 'failed' where id = '${open.id}'`, async (verify) => {
      expect((await verify(open.id)).findings).toMatchObject([{ type: 'thread', problem: 'columns' }])
    })
  })
})

describe('a forger who puts other bytes with the same XXH64', () => {
  const forged = async () => {
    const bytes = randomBytes(100)
    const blob = await putBlob(db, bytes, 'image/png')
    const other = collide(bytes)
    const history = await writeHistory(db, { steps: 3, artifacts: [blob], text: (step) => `forged ${step} ${blob}` })
    return { blob, other, history, hex: other.toString('hex') }
  }

  test('is refused by put', async () => {
    const { blob, other } = await forged()
    expect(hashBytes(other)).toBe(blob)
    await expect(putBlob(db, other, 'image/png')).rejects.toSatisfy((error) => isAppError(error, 'HASH_COLLISION'))
  })

  test('is given away by the digest of the object', async () => {
    const { blob, history, hex } = await forged()
    await damaged(`update blobs set raw = '\\x${hex}' where hash = '${blob}'`, async (verify) => {
      const report = await verify(history.id)
      expect(report.findings).toMatchObject([{ hash: blob, problem: 'digest' }])
      expect(report.affectedThreads).toEqual([history.id])
    })
  })

  test('and when that is forged too, by the digests of all that refer to it, and of nothing above', async () => {
    const { blob, other, history, hex } = await forged()
    const change = `raw = '\\x${hex}', digest = '\\x${digestOf(other, []).toString('hex')}'`
    await damaged(`update blobs set ${change} where hash = '${blob}'`, async (verify) => {
      const report = await verify(history.id)
      expect(new Set(named(report))).toEqual(new Set(history.contents.slice(0, 3)))
      expect(new Set(report.findings.map((finding) => finding.problem))).toEqual(new Set(['digest']))
    })
  })
})

describe('a chain that hangs together by hashes and is still wrong', () => {
  const wrong = async (change: (history: History) => Partial<StatePayload>) => {
    const history = await writeHistory(db, { steps: 6, ended: false })
    const hash = await extend(db, history, { content: history.prompt, ...change(history) })
    return { hash, report: await verifyTree(db, hash) }
  }

  test.each<[string, (history: History) => Partial<StatePayload>, string]>([
    [
      'an ancestor at another distance',
      (h) => ({ ancestors: [h.chain[5], h.chain[3], h.chain[2]].map((x) => x ?? UNKNOWN) }),
      'steps back',
    ],
    [
      'an ancestor too few',
      (h) => ({ ancestors: ancestorsFor(7, (at) => h.chain[at - 1] ?? UNKNOWN).slice(0, 2) }),
      'ancestors',
    ],
    ['the start node as ancestor', (h) => ({ ancestors: [h.start] }), 'instead of a state'],
    ['time that runs back', () => ({ timestamp: 5 }), 'older'],
    ['a start node as content', (h) => ({ content: h.start }), 'instead of a content'],
    ['a step as child thread', (h) => ({ childThread: h.chain[2] ?? null }), 'end node'],
  ])('%s', async (_what, change, words) => {
    const { hash, report } = await wrong(change)
    expect(named(report)).toEqual([hash])
    expect(report.findings[0]).toMatchObject({ problem: 'chain' })
    expect(report.findings[0]?.message).toContain(words)
  })

  test('another start node than its parent, unless a fork marker is between', async () => {
    const other = await writeHistory(db, { steps: 0, ended: false, prompt: 'another prompt' })
    expect((await wrong(() => ({ start: other.start }))).report.findings[0]?.message).toContain('start node')
    expect((await wrong(() => ({ start: other.start, role: FORK_MARKER }))).report.ok).toBe(true)
  })

  test('a step after the end', async () => {
    const history = await writeHistory(db, { steps: 1 })
    const hash = await extend(db, history, { content: history.prompt })
    expect((await verifyTree(db, hash)).findings).toMatchObject([{ hash, problem: 'chain' }])
  })
})

test('a planted raw row under the address of a state node is found', async () => {
  const history = await writeHistory(db, { steps: 1 })
  await db.sql`insert into blobs (hash, type, raw, digest, size) values (${history.head}, 'blob', 'x', 'x', 1)`
  const report = await verifyThread(db, history.id)
  expect(report.findings.some((finding) => finding.hash === history.head && finding.problem === 'hash')).toBe(true)
  await db.sql`delete from blobs where hash = ${history.head}`
})
