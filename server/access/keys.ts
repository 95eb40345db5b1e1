import { ulid } from 'ulid'
import type { Queryable } from '@/db/client'
import { findKey, insertKey, revokeKeyRow, touchKey } from '@/db/queries/access/keys'
import { AppError } from '@/server/kernel/errors'
import { hashSecret, isSameHash, newSecret } from './secret'

/** Lets people, and scanners of repositories, see what such a string is. */
export const KEY_PREFIX = 'cairn_'

export type KeyIdentity = { id: string; label: string }

/** Makes a key for the API. It is given once, here: only its hash is stored. */
export async function createKey(db: Queryable, label: string): Promise<KeyIdentity & { key: string }> {
  const key = `${KEY_PREFIX}${newSecret()}`
  const id = ulid()
  await insertKey(db, { id, label, keyHash: hashSecret(key) })
  return { id, label, key }
}

/** Whose key this is, or null when it is unknown or revoked. */
export async function authenticateKey(db: Queryable, key: string): Promise<KeyIdentity | null> {
  if (!key.startsWith(KEY_PREFIX)) return null
  const hash = hashSecret(key)
  const row = await findKey(db, hash)
  if (row === null || row.revoked || !isSameHash(row.keyHash, hash)) return null
  await touchKey(db, row.id)
  return { id: row.id, label: row.label }
}

/** Ends a key at once. Throws NOT_FOUND. */
export async function revokeKey(db: Queryable, id: string): Promise<void> {
  if (!(await revokeKeyRow(db, id))) {
    throw new AppError('NOT_FOUND', `There is no valid key ${id}. It may have been revoked before.`, {
      what: 'key',
      id,
    })
  }
}
