import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'
import type { FoundRef } from './find-refs'
import type { ObjectHeadRow } from './get-object'

/**
 * Objects above `after` in the order of their hashes. Each table answers from its primary key with at most `limit` rows, so
 * a page costs the same whatever the store holds; an order by time would need an index that every append pays for.
 */
export async function listObjectRows(
  { sql }: Queryable,
  { type, after, limit }: { type: FoundRef['type'] | undefined; after: string; limit: number },
): Promise<ObjectHeadRow[]> {
  // Literals, not parameters: a prepared statement must prove that the partial index `blobs_rare` applies.
  const ofType =
    type === 'blob' ? sql`and type = 'blob'` : type === 'group' ? sql`and type = 'group'` : sql`and type = 'content'`
  const blobs = sql`
    (select hash, type, refs, digest, size, media_type as "mediaType", created_at as "createdAt"
    from blobs where hash > ${after} ${type === undefined ? sql`` : ofType} order by hash limit ${limit})`
  const starts = sql`
    (select hash, 'start' as type, refs, digest, octet_length(body) as size, null::text as "mediaType",
      created_at as "createdAt"
    from start_nodes where hash > ${after} order by hash limit ${limit})`
  const states = sql`
    (select hash, 'state' as type, refs, digest, octet_length(body) as size, null::text as "mediaType",
      to_timestamp(timestamp / 1000.0) as "createdAt"
    from state_nodes where hash > ${after} order by hash limit ${limit})`
  if (type === 'start') return mapped(sql<ObjectHeadRow[]>`${starts}`)
  if (type === 'state') return mapped(sql<ObjectHeadRow[]>`${states}`)
  if (type !== undefined) return mapped(sql<ObjectHeadRow[]>`${blobs}`)
  return mapped(sql<ObjectHeadRow[]>`
    select * from (${blobs} union all ${starts} union all ${states}) as every_table order by hash limit ${limit}`)
}
