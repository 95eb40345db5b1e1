import type { Queryable } from '@/db/client'
import { deletePin, insertPin, listPinRows, ownersOf } from '@/db/queries/cas/pins'
import type { Actor } from '@/server/access/actor'
import { AppError, isAppError } from '@/server/kernel/errors'
import { type Hash, hashSchema } from '@/server/kernel/ids'
import { objectNotFound } from './not-found'

export type Pin = {
  hash: string
  owner: string
  note: string | null
  createdAt: string
  type: string | null
  /** Bytes. */
  size: number | null
}

type Owner = Pick<Actor, 'name'>

/** Keeps an object, with everything below it, from garbage collection until its owner unpins it. Throws NOT_FOUND. */
export async function pinObject(
  db: Queryable,
  { hash, note }: { hash: Hash; note?: string | undefined },
  actor: Owner,
): Promise<{ hash: string; owner: string }> {
  try {
    await insertPin(db, { hash, owner: actor.name, note: note ?? null })
  } catch (error) {
    throw isAppError(error, 'MISSING_REF') ? objectNotFound(hash) : error
  }
  return { hash, owner: actor.name }
}

/** Takes the caller's own pin away. Throws NOT_FOUND when there is none, naming who else has one. */
export async function unpinObject(db: Queryable, hash: Hash, actor: Owner): Promise<{ hash: string }> {
  if (await deletePin(db, { hash, owner: actor.name })) return { hash }
  const others = await ownersOf(db, hash)
  const whose = others.length === 0 ? 'Nobody has pinned it.' : `It is pinned by ${others.join(', ')}.`
  throw new AppError('NOT_FOUND', `You (${actor.name}) have no pin on ${hash}. ${whose}`, { what: 'pin', id: hash })
}

/** A page in the order of hashes and owners; `cursor` is the `nextCursor` of the page before it. */
export async function listPins(
  db: Queryable,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
): Promise<{ items: Pin[]; nextCursor: string | null }> {
  const rows = await listPinRows(db, { after: positionOf(cursor), limit: limit + 1 })
  const items = rows.slice(0, limit).map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }))
  const last = items.at(-1)
  return { items, nextCursor: rows.length > limit && last !== undefined ? `${last.hash}.${last.owner}` : null }
}

/** A hash has a fixed length, so what comes behind it is the owner, whatever that holds. */
function positionOf(cursor: string | undefined): { hash: string; owner: string } {
  if (cursor === undefined) return { hash: '', owner: '' }
  const [hash, dot, owner] = [cursor.slice(0, 13), cursor.slice(13, 14), cursor.slice(14)]
  if (hashSchema.safeParse(hash).success && dot === '.') return { hash, owner }
  throw new AppError('BAD_INPUT', 'The cursor is not one that a page of pins gave. Start again without it.', {
    field: 'cursor',
  })
}
