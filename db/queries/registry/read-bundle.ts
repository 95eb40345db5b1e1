import { eq } from 'drizzle-orm'
import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'
import { bundles } from '@/db/schema/registry'

export type BundleRow = Pick<typeof bundles.$inferSelect, 'hash' | 'source' | 'descriptor' | 'types' | 'size'>

export async function readBundle({ orm }: Queryable, hash: string): Promise<BundleRow | null> {
  const { source, descriptor, types, size } = bundles
  const columns = { hash: bundles.hash, source, descriptor, types, size }
  const rows = await mapped(orm.select(columns).from(bundles).where(eq(bundles.hash, hash)))
  return rows[0] ?? null
}

/** The descriptor alone, which is small where the source may be large. */
export async function readStoredDescriptor({ orm }: Queryable, hash: string): Promise<unknown> {
  const rows = await mapped(orm.select({ descriptor: bundles.descriptor }).from(bundles).where(eq(bundles.hash, hash)))
  return rows[0]?.descriptor ?? null
}
