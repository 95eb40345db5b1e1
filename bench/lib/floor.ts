import { randomBytes } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import type postgres from 'postgres'
import { connect } from '@/db/client'
import { digestOf } from '@/server/cas/hash'
import { ancestorsFor, contentNode, stateNode } from '@/server/cas/nodes'
import { type Hash, hashSchema, isHash } from '@/server/kernel/ids'

/**
 * What this server can do with nothing in between: the bound that the engine is measured against, in the same run. The
 * tables are copies of the real ones with their indexes, so that a row costs the same.
 */
export type Floor = {
  /** One connection, one row of 1 KB a commit. */
  commitsPerSecond: number
  /** Rows of the same bytes as a step's (a content, a state node), as steps a second: the best of the batch shapes tried. */
  batchedStepsPerSecond: number
}

type Rows = {
  content: string[]
  contentBody: string[]
  contentDigest: string[]
  hash: string[]
  body: string[]
  refs: string[]
  digest: string[]
}

export async function measureFloor(url: string, seconds: number): Promise<Floor> {
  const sql = connect(url, { max: 2 })
  try {
    await sql`drop table if exists floor_blobs, floor_nodes, floor_commits`
    await sql`create table floor_commits (id bigint primary key, body text not null)`
    await sql`create table floor_blobs (like blobs including all)`
    await sql`create table floor_nodes (like state_nodes including all)`
    const commitsPerSecond = await rate(seconds, 1, async (n) => {
      await sql`insert into floor_commits values (${n}, ${pad(n)})`
      return 1
    })
    let batchedStepsPerSecond = 0
    for (const [size, lanes] of [
      [50, 1],
      [50, 2],
      [100, 2],
    ] as const) {
      const stepsPerSecond = await rate(seconds, lanes, async () => {
        await insertBatch(sql, size)
        return size
      })
      batchedStepsPerSecond = Math.max(batchedStepsPerSecond, stepsPerSecond)
    }
    return { commitsPerSecond, batchedStepsPerSecond }
  } finally {
    await sql`drop table if exists floor_blobs, floor_nodes, floor_commits`
    await sql.end()
  }
}

async function rate(seconds: number, lanes: number, work: (n: number) => Promise<number>): Promise<number> {
  let done = 0
  let call = 0
  const began = performance.now()
  const until = began + seconds * 1000
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      while (performance.now() < until) done += await work(++call)
    }),
  )
  return (done / (performance.now() - began)) * 1000
}

const filler = randomBytes(768).toString('base64')
const pad = (n: number): string => `${n} ${filler}`.slice(0, 1024)
let serial = 0
// Any hash will do: the copies have no rows to refer to.
const fake = hashSchema.parse('0123456789ABC')

function rowsOf(size: number): Rows {
  const rows: Rows = { content: [], contentBody: [], contentDigest: [], hash: [], body: [], refs: [], digest: [] }
  for (let i = 0; i < size; i++) {
    const content = contentNode(pad(++serial), [])
    const ancestors: Hash[] = ancestorsFor(200, () => fake)
    const node = stateNode({
      role: 'work',
      meta: { n: serial, at: Date.now() },
      start: fake,
      content: content.hash,
      ancestors,
      compact: null,
      timestamp: Date.now(),
      childThread: null,
    })
    rows.content.push(content.hash)
    rows.contentBody.push(content.body)
    rows.contentDigest.push(digestOf(content.body, []).toString('hex'))
    rows.hash.push(node.hash)
    rows.body.push(node.body)
    rows.refs.push(`{${node.refs.filter(isHash).join(',')}}`)
    rows.digest.push(digestOf(node.body, []).toString('hex'))
  }
  return rows
}

async function insertBatch(sql: postgres.Sql, size: number): Promise<void> {
  const r = rowsOf(size)
  await sql`
    with contents as (
      insert into floor_blobs (hash, type, body, digest, size)
      select hash, 'content', body, decode(digest, 'hex'), octet_length(body)
      from unnest(${r.content}::text[], ${r.contentBody}::text[], ${r.contentDigest}::text[]) as c(hash, body, digest)
    )
    insert into floor_nodes (hash, body, refs, digest, role, start, content, parent, height, timestamp)
    select hash, body, refs::text[], decode(digest, 'hex'), 'work', ${fake}, content, ${fake}, 200, 1
    from unnest(${r.hash}::text[], ${r.body}::text[], ${r.refs}::text[], ${r.digest}::text[], ${r.content}::text[])
      as s(hash, body, refs, digest, content)`
}
