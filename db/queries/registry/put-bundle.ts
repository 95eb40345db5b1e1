import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'
import { AppError } from '@/server/kernel/errors'

export type NewBundle = {
  hash: string
  source: string
  /** SHA-256 of the source. */
  digest: Buffer
  descriptor: object
  types: string | null
  /** Bytes of the source in UTF-8. */
  size: number
}

/**
 * Stores a bundle. The same bytes again are fine; other bytes under the same hash are HASH_COLLISION. What is stored is
 * compared by the SHA-256 of its source as it stands, so up to 10 MiB need not travel back.
 */
export async function putBundle({ sql }: Queryable, bundle: NewBundle): Promise<void> {
  await mapped(sql`
    insert into bundles (hash, source, digest, descriptor, types, size)
    values (${bundle.hash}, ${bundle.source}, ${bundle.digest}, ${JSON.stringify(bundle.descriptor)}::json, ${bundle.types}, ${bundle.size})
    on conflict (hash) do nothing`)
  const rows = await mapped(sql<{ same: boolean }[]>`
    select sha256(convert_to(source, 'UTF8')) = ${bundle.digest} as same from bundles where hash = ${bundle.hash}`)
  if (rows[0]?.same !== true) {
    throw new AppError(
      'HASH_COLLISION',
      `Another bundle is stored under the hash ${bundle.hash}. Nothing was written; change the source by a character and build it again.`,
      { hash: bundle.hash },
    )
  }
}
