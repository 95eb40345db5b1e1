import { z } from 'zod'
import type { GcRunRow } from '@/db/queries/cas/gc-runs'

/** One collection. An unfinished one that is not `underWay` was interrupted: the next one goes on with it, or begins anew. */
export const gcRunSchema = z.object({
  id: z.number(),
  phase: z.enum(['marking', 'sweeping', 'done', 'abandoned']),
  dryRun: z.boolean(),
  /** Only what was last touched before this may go. */
  cutoff: z.string(),
  actor: z.string(),
  /** Objects that were found to be reachable. */
  marked: z.number(),
  /** What went, or in a dry run would go. */
  objects: z.number(),
  bytes: z.number(),
  startedAt: z.string(),
  finishedAt: z.string().nullable(),
  underWay: z.boolean(),
})
export type GcRun = z.infer<typeof gcRunSchema>

export function gcRunOf(row: GcRunRow): GcRun {
  return {
    ...row,
    cutoff: row.cutoff.toISOString(),
    startedAt: row.startedAt.toISOString(),
    finishedAt: row.finishedAt?.toISOString() ?? null,
  }
}
