import type { Queryable } from '@/db/client'
import { listRuns } from '@/db/queries/cas/gc-runs'
import { type GcRun, gcRunOf } from './run'

/** Newest first. */
export async function listGcRuns(db: Queryable, limit: number): Promise<GcRun[]> {
  return (await listRuns(db, limit)).map(gcRunOf)
}
