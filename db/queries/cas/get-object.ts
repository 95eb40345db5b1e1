import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'
import type { FoundRef } from './find-refs'

export type ObjectHeadRow = {
  hash: string
  type: FoundRef['type']
  refs: string[]
  digest: Buffer
  size: number
  mediaType: string | null
  createdAt: Date
}
export type ObjectRow = ObjectHeadRow & {
  /** Canonical text of a node; null for a raw blob. */
  body: string | null
  raw: Buffer | null
}

/** One object of any type, or null. */
export async function getObjectRow({ sql }: Queryable, hash: string): Promise<ObjectRow | null> {
  const rows = await mapped(sql<ObjectRow[]>`
    select hash, type, body, raw, refs, digest, size, media_type as "mediaType", created_at as "createdAt"
    from cas where hash = ${hash} limit 1`)
  return rows[0] ?? null
}
