import type { Queryable } from '@/db/client'
import {
  abandonRun,
  becomeCollector,
  beginRun,
  finishDryRun,
  readRun,
  saveMarked,
  startSweeping,
  sweepBatch,
} from '@/db/queries/cas/gc-runs'
import type { Actor } from '@/server/access/actor'
import { AppError } from '@/server/kernel/errors'
import { log } from '@/server/kernel/log'
import { testPoint } from '@/server/kernel/test-point'
import { type Collector, openCollector } from './collector'
import { markAndCondemn } from './mark'
import { type GcRun, gcRunOf } from './run'

/** Seconds for which an object stays that nobody refers to. Below the floor a writer's transaction could be older than that. */
export const GRACE_SECONDS = { default: 86_400, floor: 600, ceiling: 10 * 365 * 86_400 } as const
/** Objects that one transaction deletes, about. */
const BATCH_OBJECTS = 1_000

export type CollectOptions = {
  /** Deletes nothing: counts what would go. */
  dryRun?: boolean | undefined
  graceSeconds?: number | undefined
  /** Objects that one transaction deletes, about: `BATCH_OBJECTS` when it is not given. */
  batchObjects?: number | undefined
  /** Is told the number of the run as soon as it is there. */
  onBegin?: (id: number) => void
}

/**
 * Deletes the objects that nothing refers to any more and that nobody touched in the grace time; or goes on with the collection
 * that was interrupted while it deleted, whatever the options. Safe beside everything else. Throws CONFLICT when another one is under way, LIMIT_EXCEEDED
 * for a grace time out of bounds. One that fails leaves nothing half done; the next one completes.
 */
export async function collectGarbage(
  db: Queryable & { url: string },
  options: CollectOptions,
  actor: Pick<Actor, 'name'>,
): Promise<GcRun> {
  const { dryRun = false, graceSeconds = GRACE_SECONDS.default, batchObjects = BATCH_OBJECTS } = options
  refuseGrace(graceSeconds)
  const collector = openCollector(db.url)
  try {
    if (!dryRun && !(await collector.step(becomeCollector))) throw underWay()
    const run = await collector.alone((s) => beginRun(s, { actor: actor.name, dryRun, graceSeconds }))
    options.onBegin?.(run.id)
    try {
      if (run.phase === 'marking') {
        await markAndCondemn(collector, { cutoff: run.cutoff, dryRun })
        await collector.step((s) => saveMarked(s, run.id))
      }
      await (dryRun ? collector.step((s) => finishDryRun(s, run.id)) : sweep(collector, run.id, batchObjects))
    } catch (error) {
      log.error({ error, run: run.id }, 'a garbage collection failed')
      // Where even this cannot be written, the next collection does it.
      await abandonRun(db, run.id).catch(() => undefined)
      throw error
    }
    const row = await readRun(db, run.id)
    if (row === undefined)
      throw new AppError('NOT_FOUND', 'The collection is not there any more.', {
        what: 'collection',
        id: String(run.id),
      })
    log.info({ run: row.id, dryRun, objects: row.objects, bytes: row.bytes }, 'a garbage collection ended')
    return { ...gcRunOf(row), underWay: false }
  } finally {
    await collector.close()
  }
}

async function sweep(collector: Collector, run: number, most: number): Promise<void> {
  await collector.step((s) => startSweeping(s, run))
  let above = Number.MAX_SAFE_INTEGER
  for (;;) {
    const from = above
    await testPoint('gc:batch')
    const swept = await collector.alone((s) => sweepBatch(s, { run, most, above: from }))
    if (swept === undefined) return
    above = swept.lowest
  }
}

function refuseGrace(seconds: number): void {
  const { floor, ceiling } = GRACE_SECONDS
  if (seconds >= floor && seconds <= ceiling) return
  throw new AppError(
    'LIMIT_EXCEEDED',
    `A grace time of ${seconds} s is out of bounds: give at least ${floor} s, so that no writer's work is taken for garbage, and at most ${ceiling} s.`,
    { limit: 'graceSeconds', max: ceiling, actual: seconds },
  )
}

function underWay(): AppError<'CONFLICT'> {
  return new AppError('CONFLICT', 'Another garbage collection is under way. Wait for its end: cas.gcRuns lists it.', {
    current: 'underWay',
  })
}
