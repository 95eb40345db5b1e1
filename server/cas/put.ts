import type { Queryable } from '@/db/client'
import { findRefs } from '@/db/queries/cas/find-refs'
import { insertBlob, insertStart, insertState, putAgain } from '@/db/queries/cas/insert-node'
import { AppError } from '@/server/kernel/errors'
import type { Hash } from '@/server/kernel/ids'
import { MAX_OBJECT_BYTES } from './canonical'
import { digestOf, hashBytes, initHash } from './hash'
import { contentNode, type Encoded, encodeNode, type Node } from './nodes'
import { parseNode } from './parse-node'

/** Refs of one object, at most. */
export const MAX_REFS = 10_000
/** An insert that finds the address taken and then gone again, because it was collected between, is tried this often. */
const ATTEMPTS = 5

/**
 * Stores a text as a content node and answers with its address; what is stored already is left as it is. Throws
 * HASH_COLLISION when other bytes have that address, MISSING_REF naming the refs that do not exist, LIMIT_EXCEEDED past
 * `MAX_OBJECT_BYTES` or `MAX_REFS`. On an error nothing is written.
 */
export async function putContent(db: Queryable, text: string, refs: readonly Hash[]): Promise<Hash> {
  await initHash()
  const encoded = contentNode(text, refs)
  return put(db, encoded, (found) =>
    insertNode(db, { type: 'content', payload: text, refs: encoded.refs }, encoded, found),
  )
}

/** Stores a node of any type, as `putContent` does. The height of a state node is one more than its parent's. */
export async function putNode(db: Queryable, node: Node): Promise<Hash> {
  await initHash()
  const encoded = encodeNode(node)
  // A node that would not be read back must not be written.
  const checked = parseNode(encoded.body, encoded.hash)
  return put(db, encoded, (found) => insertNode(db, checked, encoded, found))
}

/**
 * Stores raw bytes, as `putContent` does. The first media type stays when the same bytes come with another one. Bytes that
 * are the canonical text of a node are refused with BAD_INPUT: at one address there is one kind of object.
 */
export async function putBlob(db: Queryable, bytes: Uint8Array, mediaType: string): Promise<Hash> {
  await initHash()
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  checkSize(raw.length)
  if (isNodeText(raw)) {
    throw new AppError('BAD_INPUT', 'These bytes are the text of a node. Store them as text, with their refs.', {
      field: 'base64',
    })
  }
  const hash = hashBytes(raw)
  const row = { hash, type: 'blob', body: null, raw, refs: [], size: raw.length, mediaType } as const
  return put(db, { hash, body: raw, refs: [], size: raw.length }, () =>
    insertBlob(db, { ...row, refs: [], digest: digestOf(raw, []) }),
  )
}

type Puttable = Omit<Encoded, 'body'> & { body: string | Buffer }
type Found = { digests: Buffer[]; heights: Map<string, number> }

async function put(db: Queryable, object: Puttable, insert: (found: Found) => Promise<boolean>): Promise<Hash> {
  checkSize(object.size)
  const refs = await findAll(db, object.refs)
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    if (await insert(refs)) return object.hash
    const bytes = typeof object.body === 'string' ? { body: object.body, raw: null } : { body: null, raw: object.body }
    const found = await putAgain(db, { hash: object.hash, ...bytes })
    if (found === 'same') return object.hash
    if (found === 'gone') continue
    throw new AppError(
      'HASH_COLLISION',
      `Other bytes are stored under the hash ${object.hash}. Nothing was written; change the content by a character.`,
      { hash: object.hash },
    )
  }
  throw new AppError('CONFLICT', `The object ${object.hash} came and went while it was written. Try again.`, {})
}

function insertNode(db: Queryable, node: Node, { hash, body, refs, size }: Encoded, found: Found): Promise<boolean> {
  const base = { hash, body, refs, digest: digestOf(body, found.digests) }
  switch (node.type) {
    case 'content':
    case 'group':
      return insertBlob(db, { ...base, type: node.type, raw: null, size, mediaType: null })
    case 'start': {
      const { name, hash: bundle, depth, parentState } = node.payload
      // `parseNode` and `startNode` see to it that the prompt is there.
      return insertStart(db, { ...base, name, bundle, depth, parentState, prompt: refs[0] ?? '' })
    }
    case 'state': {
      const { role, start, content, ancestors, compact, childThread, timestamp } = node.payload
      const parent = ancestors[0] ?? null
      const height = parent === null ? 1 : (found.heights.get(parent) ?? 0) + 1
      return insertState(db, { ...base, role, start, content, parent, height, compact, childThread, timestamp })
    }
  }
}

async function findAll(db: Queryable, refs: readonly Hash[]): Promise<Found> {
  if (refs.length > MAX_REFS) {
    throw new AppError('LIMIT_EXCEEDED', `An object has at most ${MAX_REFS} refs, not ${refs.length}. Split it.`, {
      limit: 'refs',
      max: MAX_REFS,
      actual: refs.length,
    })
  }
  const found = new Map((await findRefs(db, refs)).map((ref) => [ref.hash, ref]))
  const missing = [...new Set(refs)].filter((ref) => !found.has(ref))
  if (missing.length > 0) {
    const named = missing.slice(0, 20).join(', ') + (missing.length > 20 ? ` and ${missing.length - 20} more` : '')
    throw new AppError('MISSING_REF', `These hashes are referred to but not stored: ${named}. Store them first.`, {
      refs: missing,
    })
  }
  const rows = refs.flatMap((ref) => found.get(ref) ?? [])
  return { digests: rows.map((row) => row.digest), heights: new Map(rows.map((row) => [row.hash, row.height])) }
}

function checkSize(size: number): void {
  if (size <= MAX_OBJECT_BYTES) return
  throw new AppError('LIMIT_EXCEEDED', `An object has at most ${MAX_OBJECT_BYTES} bytes, not ${size}. Split it.`, {
    limit: 'objectBytes',
    max: MAX_OBJECT_BYTES,
    actual: size,
  })
}

function isNodeText(bytes: Buffer): boolean {
  if (!bytes.subarray(0, 11).equals(Buffer.from('{"payload":'))) return false
  try {
    const text = bytes.toString('utf8')
    parseNode(text)
    return Buffer.from(text, 'utf8').equals(bytes)
  } catch (error) {
    if (error instanceof AppError && error.code === 'CORRUPT_NODE') return false
    throw error
  }
}
