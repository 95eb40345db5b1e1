import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'

export type FoundRef = {
  hash: string
  type: 'blob' | 'content' | 'group' | 'start' | 'state'
  digest: Buffer
  /** Height of a state node, else 0. */
  height: number
}

/** Those of the given objects that are stored, by primary key, in no order. */
export async function findRefs({ sql }: Queryable, hashes: readonly string[]): Promise<FoundRef[]> {
  if (hashes.length === 0) return []
  const list = [...new Set(hashes)]
  return mapped(sql<FoundRef[]>`
    select hash, type, digest, 0 as height from blobs where hash = any(${list}::text[])
    union all
    select hash, 'start', digest, 0 from start_nodes where hash = any(${list}::text[])
    union all
    select hash, 'state', digest, height from state_nodes where hash = any(${list}::text[])`)
}
