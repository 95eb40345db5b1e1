import type { Queryable } from '@/db/client'
import { findDescendants, findReferrers } from '@/db/queries/cas/find-referrers'
import { findRefs } from '@/db/queries/cas/find-refs'
import { getObjectRow, type ObjectHeadRow } from '@/db/queries/cas/get-object'
import { listObjectRows } from '@/db/queries/cas/list-objects'
import { AppError } from '@/server/kernel/errors'
import { type Hash, hashSchema } from '@/server/kernel/ids'
import { objectNotFound } from './not-found'
import { readNode } from './parse-node'

export type ObjectType = 'blob' | 'content' | 'group' | 'start' | 'state'

export type ObjectHead = {
  hash: string
  type: ObjectType
  refs: string[]
  /** Hex. */
  digest: string
  /** Bytes. */
  size: number
  mediaType: string | null
  /** ISO 8601 in UTC. */
  createdAt: string
}
/** A node has its canonical text in `body`, a raw blob its bytes in `base64`: exactly what was put. */
export type StoredObject = ObjectHead & { body: string | null; base64: string | null }

export type ObjectRef = { hash: string; type: string }

/** Referrers that one answer names, at most. */
export const MAX_REFERRERS = 200
/** Threads, newest first, in which descendants of a state node are looked for. */
const MAX_REFERRER_THREADS = 50

/** Throws NOT_FOUND. */
export async function getObject(db: Queryable, hash: Hash): Promise<StoredObject> {
  const row = await getObjectRow(db, hash)
  if (row === null) throw objectNotFound(hash)
  return { ...headOf(row), body: row.body, base64: row.raw === null ? null : row.raw.toString('base64') }
}

/** A page in the order of hashes; `cursor` is the `nextCursor` of the page before it. */
export async function listObjects(
  db: Queryable,
  query: { type?: ObjectType | undefined; cursor?: string | undefined; limit: number },
): Promise<{ items: ObjectHead[]; nextCursor: string | null }> {
  const cursor = query.cursor === undefined ? undefined : hashSchema.safeParse(query.cursor)
  if (cursor?.success === false) {
    throw new AppError('BAD_INPUT', 'The cursor is not one that a page of objects gave. Start again without it.', {
      field: 'cursor',
    })
  }
  const rows = await listObjectRows(db, { type: query.type, after: cursor?.data ?? '', limit: query.limit + 1 })
  const items = rows.slice(0, query.limit).map(headOf)
  return { items, nextCursor: rows.length > query.limit ? (items.at(-1)?.hash ?? null) : null }
}

/** What the object refers to, in its order. Throws NOT_FOUND. */
export async function refsOut(db: Queryable, hash: Hash): Promise<ObjectRef[]> {
  const row = await getObjectRow(db, hash)
  if (row === null) throw objectNotFound(hash)
  const types = new Map((await findRefs(db, row.refs)).map((found) => [found.hash, found.type]))
  return row.refs.map((ref) => ({ hash: ref, type: types.get(ref) ?? 'missing' }))
}

/**
 * What refers to the object, `MAX_REFERRERS` at most. Descendants of a state node are looked for in the newest
 * `MAX_REFERRER_THREADS` threads of its start node; for a start node the answer is its children's callers only, not every
 * node of its threads. Throws NOT_FOUND.
 */
export async function refsIn(db: Queryable, hash: Hash): Promise<ObjectRef[]> {
  const row = await getObjectRow(db, hash)
  if (row === null) throw objectNotFound(hash)
  const referrers = await findReferrers(db, hash, MAX_REFERRERS)
  if (row.type !== 'state' || row.body === null) return referrers
  const [found] = await findRefs(db, [hash])
  const node = readNode(row.body, hash)
  if (found === undefined || node.type !== 'state') return referrers
  const descendants = await findDescendants(db, {
    hash,
    height: found.height,
    start: node.payload.start,
    threadLimit: MAX_REFERRER_THREADS,
    limit: MAX_REFERRERS,
  })
  const seen = new Set(referrers.map((referrer) => referrer.hash))
  return [...referrers, ...descendants.filter((descendant) => !seen.has(descendant.hash))].slice(0, MAX_REFERRERS)
}

/** Both directions. Throws NOT_FOUND. */
export async function objectRefs(db: Queryable, hash: Hash): Promise<{ out: ObjectRef[]; in: ObjectRef[] }> {
  const [out, incoming] = await Promise.all([refsOut(db, hash), refsIn(db, hash)])
  return { out, in: incoming }
}

function headOf(row: ObjectHeadRow): ObjectHead {
  return {
    hash: row.hash,
    type: row.type,
    refs: row.refs,
    digest: row.digest.toString('hex'),
    size: row.size,
    mediaType: row.mediaType,
    createdAt: row.createdAt.toISOString(),
  }
}
