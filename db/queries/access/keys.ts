import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'

export async function insertKey(
  { sql }: Queryable,
  key: { id: string; label: string; keyHash: Buffer },
): Promise<void> {
  await mapped(sql`insert into api_keys (id, label, key_hash) values (${key.id}, ${key.label}, ${key.keyHash})`)
}

export type KeyRow = { id: string; label: string; keyHash: Buffer; revoked: boolean }

export async function findKey({ sql }: Queryable, keyHash: Buffer): Promise<KeyRow | null> {
  const rows = await mapped(sql<KeyRow[]>`
    select id, label, key_hash as "keyHash", revoked_at is not null as revoked from api_keys where key_hash = ${keyHash}`)
  return rows[0] ?? null
}

/** Notes that the key was used, once a minute at most: a read must not cost a write. */
export async function touchKey({ sql }: Queryable, id: string): Promise<void> {
  await mapped(sql`
    update api_keys set last_used_at = app_now()
    where id = ${id} and (last_used_at is null or last_used_at < app_now() - interval '1 minute')`)
}

/** False when there is no such key, or it is revoked already. */
export async function revokeKeyRow({ sql }: Queryable, id: string): Promise<boolean> {
  const done = await mapped(sql`update api_keys set revoked_at = app_now() where id = ${id} and revoked_at is null`)
  return done.count > 0
}
