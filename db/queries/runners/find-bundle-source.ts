import type { Queryable } from '../../client'
import { mapped } from '../../errors'

export async function findBundleSource({ sql }: Queryable, hash: string): Promise<string | undefined> {
  const rows = await mapped(sql<{ source: string }[]>`select source from bundles where hash = ${hash}`)
  return rows[0]?.source
}
