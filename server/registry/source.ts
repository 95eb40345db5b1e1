import type { Queryable } from '@/db/client'
import { readBundle, readStoredDescriptor } from '@/db/queries/registry/read-bundle'
import { AppError } from '@/server/kernel/errors'
import { type Descriptor, descriptorSchema } from './views'

/** A stored bundle, by the hash of its bytes. */
export async function bundleSource(
  db: Queryable,
  hash: string,
): Promise<{ hash: string; source: string; types: string | null; descriptor: Descriptor; size: number }> {
  const row = await readBundle(db, hash)
  if (!row) throw new AppError('NOT_FOUND', `There is no bundle ${hash}.`, { what: 'bundle', id: hash })
  return { ...row, descriptor: descriptorSchema.parse(row.descriptor) }
}

/** The descriptor of a stored bundle, without its source. */
export async function bundleDescriptor(db: Queryable, hash: string): Promise<{ hash: string; descriptor: Descriptor }> {
  const descriptor = await readStoredDescriptor(db, hash)
  if (descriptor === null) throw new AppError('NOT_FOUND', `There is no bundle ${hash}.`, { what: 'bundle', id: hash })
  return { hash, descriptor: descriptorSchema.parse(descriptor) }
}
