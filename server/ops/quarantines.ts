import { z } from 'zod'
import type { Queryable } from '@/db/client'
import { liftQuarantine, readQuarantines } from '@/db/queries/ops/quarantines'
import { AppError } from '@/server/kernel/errors'

export const quarantineSchema = z.object({
  bundle: z.string(),
  /** Names that have or had this version. */
  workflows: z.array(z.string()),
  /** Of the crash that led to it. */
  reason: z.string(),
  /** Crashes in the minute before. */
  crashes: z.number(),
  at: z.string(),
  /** Threads that wait for it to be lifted, counted up to 10,000. */
  queuedThreads: z.number(),
})
export type Quarantine = z.infer<typeof quarantineSchema>

/** Versions that no runner claims, because they crashed too often. Newest first. */
export async function listQuarantines(db: Queryable): Promise<Quarantine[]> {
  const rows = await readQuarantines(db)
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }))
}

/** Lets a version run again; its crashes count from none. Throws NOT_FOUND when it is not in quarantine. */
export async function liftBundle(
  db: Queryable,
  { bundle, note }: { bundle: string; note?: string | undefined },
  actor: { name: string },
): Promise<{ bundle: string }> {
  if (await liftQuarantine(db, { bundle, by: actor.name, note: note || null })) return { bundle }
  const message = `The version ${bundle} is not in quarantine. Look at the list of quarantines.`
  throw new AppError('NOT_FOUND', message, { what: 'quarantine', id: bundle })
}
