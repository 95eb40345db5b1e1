import { z } from 'zod'
import type { Queryable } from '@/db/client'
import { readRunners } from '@/db/queries/ops/read-runners'

/** A runner that was not heard of for this long, three heartbeats, is taken for dead. */
const ALIVE_SECONDS = 15

export const runnerViewSchema = z.object({
  id: z.string(),
  host: z.string(),
  pid: z.number(),
  version: z.string(),
  capacity: z.number(),
  active: z.number(),
  labels: z.array(z.string()),
  sandbox: z.array(z.string()),
  startedAt: z.string(),
  heartbeatAt: z.string(),
  stoppedAt: z.string().nullable(),
  alive: z.boolean(),
  staleWrites: z.number(),
})
export type RunnerView = z.infer<typeof runnerViewSchema>

export async function listRunners(db: Queryable): Promise<RunnerView[]> {
  const rows = await readRunners(db, ALIVE_SECONDS)
  return rows.map((row) => ({
    ...row,
    startedAt: row.startedAt.toISOString(),
    heartbeatAt: row.heartbeatAt.toISOString(),
    stoppedAt: row.stoppedAt?.toISOString() ?? null,
  }))
}
