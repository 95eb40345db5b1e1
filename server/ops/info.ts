import { z } from 'zod'
import type { Queryable } from '@/db/client'
import { readSystem } from '@/db/queries/ops/read-system'
import packageJson from '@/package.json' with { type: 'json' }
import { isFinished, THREAD_STATUSES } from '@/server/threads/status'

export const systemInfoSchema = z.object({
  version: z.string(),
  node: z.string(),
  database: z.object({ version: z.string(), embedded: z.boolean(), sizeBytes: z.number() }),
  /** Estimates of the planner, but for workflows and unfinished threads. */
  counts: z.object({
    threads: z.number(),
    nodes: z.number(),
    blobs: z.number(),
    bundles: z.number(),
    workflows: z.number(),
    queued: z.number(),
    running: z.number(),
    paused: z.number(),
    waiting: z.number(),
  }),
  /** The queued thread that was started first, and since when a runner may take it. */
  oldestQueued: z.object({ id: z.string(), since: z.string() }).nullable(),
  /** The database's clock. */
  now: z.string(),
})
export type SystemInfo = z.infer<typeof systemInfoSchema>

const UNFINISHED = THREAD_STATUSES.filter((status) => !isFinished(status))

/** `embedded` says whether the server under `.cairn/` is in use. */
export async function systemInfo(db: Queryable, embedded: boolean): Promise<SystemInfo> {
  const row = await readSystem(db, UNFINISHED)
  const { threads, nodes, blobs, bundles, workflows, unfinished } = row
  const { queued = 0, running = 0, paused = 0, waiting = 0 } = unfinished
  return {
    version: packageJson.version,
    node: process.versions.node,
    database: { version: row.version, embedded, sizeBytes: row.size },
    counts: { threads, nodes, blobs, bundles, workflows, queued, running, paused, waiting },
    oldestQueued: row.oldestQueued && {
      id: row.oldestQueued.id,
      since: new Date(row.oldestQueued.since).toISOString(),
    },
    now: row.now.toISOString(),
  }
}
