import type { Queryable } from '../../client'
import { mapped } from '../../errors'

/** A content node's text body and refs, or undefined. */
export async function findContent(
  { sql }: Queryable,
  hash: string,
): Promise<{ body: string; refs: string[]; digest: Buffer } | undefined> {
  const rows = await mapped(
    sql<{ body: string; refs: string[]; digest: Buffer }[]>`
      select body, refs, digest from blobs where hash = ${hash} and type = 'content'`,
  )
  return rows[0]
}

/** Digests of objects of any type, by hash; a hash that does not exist is missing from the map. */
export async function findDigests({ sql }: Queryable, hashes: readonly string[]): Promise<Map<string, Buffer>> {
  const rows = await mapped(
    sql<{ hash: string; digest: Buffer }[]>`select hash, digest from cas where hash = any(${[...hashes]}::text[])`,
  )
  return new Map(rows.map((row) => [row.hash, row.digest]))
}
