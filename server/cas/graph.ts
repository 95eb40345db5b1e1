import type { Queryable } from '@/db/client'
import { readSizes, readStored, type StoredRow } from '@/db/queries/cas/read-stored'
import { AppError } from '@/server/kernel/errors'
import { digestOf } from './hash'
import { type Finding, type Inspected, inspect } from './inspect'

/** Objects that one verification walks, at most. */
export const MAX_VERIFIED = 2_000_000
const BATCH_OBJECTS = 500
const BATCH_BYTES = 16 * 1024 * 1024
/** Bodies kept from the first reading for the second. */
const KEPT_BYTES = 32 * 1024 * 1024

/** Everything below some roots, each object checked by itself. Bodies are not in it: about 1 KB a node. */
export type Graph = {
  nodes: Map<string, Inspected>
  /** Referred to and not stored, with one that refers to it (itself for a root). */
  missing: Map<string, string>
  findings: Finding[]
  bytes: number
  bodies: Map<string, string | Buffer>
}

/** Reads and inspects all that is reachable from `roots`; with `shallow`, the roots alone. */
export async function readGraph(db: Queryable, roots: readonly string[], { shallow = false } = {}): Promise<Graph> {
  const graph: Graph = { nodes: new Map(), missing: new Map(), findings: [], bytes: 0, bodies: new Map() }
  /** Every hash met so far, with the object that named it first. */
  const namedBy = new Map(roots.map((root) => [root, root]))
  let wave = [...namedBy.keys()]
  while (wave.length > 0) {
    const next: string[] = []
    for (const inspected of await readWave(db, wave, graph)) {
      if (shallow) continue
      for (const ref of inspected.refs) {
        if (namedBy.has(ref)) continue
        namedBy.set(ref, inspected.hash)
        next.push(ref)
      }
    }
    for (const hash of wave) if (!graph.nodes.has(hash)) graph.missing.set(hash, namedBy.get(hash) ?? hash)
    if (namedBy.size > MAX_VERIFIED) throw tooMany()
    wave = next
  }
  return graph
}

async function readWave(db: Queryable, wave: readonly string[], graph: Graph): Promise<Inspected[]> {
  const read: Inspected[] = []
  for (const chunk of chunks(wave, BATCH_OBJECTS)) {
    const sizes = await readSizes(db, chunk)
    for (const batch of batchesOf(sizes)) {
      for (const row of await readStored(db, batch)) {
        const inspected = inspect(row)
        if (graph.nodes.has(row.hash)) {
          graph.findings.push(twice(inspected))
          continue
        }
        graph.nodes.set(row.hash, inspected)
        graph.findings.push(...inspected.findings)
        graph.bytes += inspected.bytes
        if (graph.bytes <= KEPT_BYTES) graph.bodies.set(row.hash, bodyOf(row))
        read.push(inspected)
      }
    }
  }
  return read
}

/** Gives each object with its bytes, in the order of `hashes`. */
export async function withBodies(
  db: Queryable,
  graph: Graph,
  hashes: readonly string[],
  visit: (node: Inspected, body: string | Buffer) => void,
): Promise<void> {
  const sizes = hashes.flatMap((hash) => {
    const node = graph.nodes.get(hash)
    return node === undefined ? [] : [{ hash, bytes: node.bytes }]
  })
  for (const batch of batchesOf(sizes)) {
    const unread = batch.filter((hash) => !graph.bodies.has(hash))
    const rows = unread.length === 0 ? [] : await readStored(db, unread)
    const bodies = new Map(rows.map((row) => [row.hash, bodyOf(row)]))
    for (const hash of batch) {
      const node = graph.nodes.get(hash)
      const body = graph.bodies.get(hash) ?? bodies.get(hash)
      graph.bodies.delete(hash)
      if (node !== undefined && body !== undefined) visit(node, body)
    }
  }
}

/** Referred-to before referrers. `onCycle` is told of each ref that closes a circle, which only damaged nodes can make. */
export function bottomUp(
  graph: Graph,
  roots: readonly string[],
  onCycle: (from: string, to: string) => void,
): string[] {
  const order: string[] = []
  const state = new Map<string, 'open' | 'done'>()
  const stack: { hash: string; refs: readonly string[]; next: number }[] = []
  const enter = (hash: string) => {
    state.set(hash, 'open')
    stack.push({ hash, refs: graph.nodes.get(hash)?.refs ?? [], next: 0 })
  }
  for (const root of roots) {
    if (!state.has(root)) enter(root)
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const ref = top.refs[top.next++]
      if (ref === undefined) {
        state.set(top.hash, 'done')
        order.push(top.hash)
        stack.pop()
      } else if (!state.has(ref)) enter(ref)
      else if (state.get(ref) === 'open') onCycle(top.hash, ref)
    }
  }
  return order
}

/** `recomputed` is null where something below is missing. Both are equal in an intact history. */
export type Digests = Map<string, { recomputed: Buffer | null; stored: Buffer; certain: boolean }>

/**
 * Recomputes every digest from the stored bytes, bottom up. A damaged object is named once: what refers to it is right when
 * its digest comes out with either the stored or the recomputed digest of what is below, and what cannot be judged because
 * something below is damaged keeps its stored one.
 */
export async function recomputeDigests(db: Queryable, graph: Graph, order: readonly string[]): Promise<Digests> {
  const digests: Digests = new Map()
  await withBodies(db, graph, order, (node, body) => {
    const below = node.refs.map((ref) => digests.get(ref))
    const known = below.flatMap((digest) => digest ?? [])
    if (!node.sound || known.length < below.length) {
      digests.set(node.hash, { recomputed: null, stored: node.digest, certain: false })
      return
    }
    const certain = known.every((digest) => digest.certain)
    const recomputed = digestOf(
      body,
      known.map((digest) => digest.recomputed ?? digest.stored),
    )
    const good =
      recomputed.equals(node.digest) ||
      (!certain &&
        digestOf(
          body,
          known.map((digest) => digest.stored),
        ).equals(node.digest))
    if (good) {
      digests.set(node.hash, { recomputed: node.digest, stored: node.digest, certain: true })
      return
    }
    digests.set(node.hash, { recomputed, stored: node.digest, certain: false })
    if (certain) {
      graph.findings.push({
        hash: node.hash,
        type: node.type,
        problem: 'digest',
        message: `Its digest is stored as ${node.digest.toString('hex')}, its bytes and refs give ${recomputed.toString('hex')}.`,
      })
    }
  })
  return digests
}

function twice(node: Inspected): Finding {
  const message = 'Two tables hold an object under this address.'
  return { hash: node.hash, type: node.type, problem: 'hash', message }
}

function tooMany(): AppError<'LIMIT_EXCEEDED'> {
  return new AppError(
    'LIMIT_EXCEEDED',
    `More than ${MAX_VERIFIED} objects are reachable from here. Verify its threads one by one.`,
    { limit: 'verifiedObjects', max: MAX_VERIFIED },
  )
}

function bodyOf(row: StoredRow): string | Buffer {
  return row.table === 'blobs' && row.raw !== null ? row.raw : (row.body ?? '')
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  const result: T[][] = []
  for (let at = 0; at < items.length; at += size) result.push(items.slice(at, at + size))
  return result
}

/** Batches bounded in objects and in bytes; an object above the bound has a batch of its own. */
function batchesOf(sizes: readonly { hash: string; bytes: number }[]): string[][] {
  const batches: string[][] = []
  let batch: string[] = []
  let bytes = 0
  for (const size of sizes) {
    if (batch.length > 0 && (batch.length >= BATCH_OBJECTS || bytes + size.bytes > BATCH_BYTES)) {
      batches.push(batch)
      batch = []
      bytes = 0
    }
    batch.push(size.hash)
    bytes += size.bytes
  }
  if (batch.length > 0) batches.push(batch)
  return batches
}
