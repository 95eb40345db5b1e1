import { z } from 'zod'
import type { Queryable } from '@/db/client'
import { readRunners, setDraining } from '@/db/queries/ops/read-runners'
import { AppError } from '@/server/kernel/errors'
import { RUNNER_ALIVE_SECONDS } from '@/server/kernel/runner-alive'

export const runnerViewSchema = z.object({
  id: z.string(),
  host: z.string(),
  pid: z.number(),
  version: z.string(),
  /** Of Node, like v20.9.0. */
  nodeVersion: z.string(),
  capacity: z.number(),
  active: z.number(),
  labels: z.array(z.string()),
  /** What it may give, like exec:git; null means all. */
  permissions: z.array(z.string()).nullable(),
  sandbox: z.array(z.string()),
  /** It claims nothing more, because `drainedBy` asked for that; what it holds goes on to its end. */
  draining: z.boolean(),
  drainedBy: z.string().nullable(),
  startedAt: z.string(),
  heartbeatAt: z.string(),
  stoppedAt: z.string().nullable(),
  alive: z.boolean(),
  staleWrites: z.number(),
})
export type RunnerView = z.infer<typeof runnerViewSchema>

export async function listRunners(db: Queryable): Promise<RunnerView[]> {
  const rows = await readRunners(db, RUNNER_ALIVE_SECONDS)
  return rows.map((row) => ({
    ...row,
    startedAt: row.startedAt.toISOString(),
    heartbeatAt: row.heartbeatAt.toISOString(),
    stoppedAt: row.stoppedAt?.toISOString() ?? null,
  }))
}

/** Asks a runner to claim nothing more, or to go on. The same again changes nothing. Throws NOT_FOUND, and CONFLICT when it stopped. */
export async function drainRunner(
  db: Queryable,
  { id, on }: { id: string; on: boolean },
  actor: { name: string },
): Promise<{ id: string; draining: boolean; drainedBy: string | null }> {
  const row = await setDraining(db, id, on ? actor.name : null)
  if (row === undefined) {
    throw new AppError('NOT_FOUND', `There is no runner ${id}. Look at the list of runners.`, { what: 'runner', id })
  }
  if (row.stopped) {
    const message = `Runner ${id} has stopped: there is nothing to drain. Look at the list of runners.`
    throw new AppError('CONFLICT', message, { current: 'stopped' })
  }
  return { id, draining: row.draining, drainedBy: row.drainedBy }
}
