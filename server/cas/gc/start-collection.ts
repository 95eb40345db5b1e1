import type { Database } from '@/db/client'
import { readRun } from '@/db/queries/cas/gc-runs'
import type { Actor } from '@/server/access/actor'
import { type CollectOptions, collectGarbage } from './collect'
import { type GcRun, gcRunOf } from './run'

/**
 * Starts a collection in this process and answers with its end, or after `waitMs` with what it has done so far: it goes on then,
 * and `listGcRuns` says how far it is. Throws what `collectGarbage` throws in that time; a later failure is in the log, and the
 * run is interrupted.
 */
export async function startCollection(
  db: Database,
  { dryRun, graceSeconds }: Pick<CollectOptions, 'dryRun' | 'graceSeconds'>,
  actor: Pick<Actor, 'name'>,
  waitMs: number,
): Promise<GcRun> {
  let id: number | null = null
  const onBegin = (begun: number) => {
    id = begun
  }
  const ended = collectGarbage(db, { dryRun, graceSeconds, onBegin }, actor)
  // Handled here too, for when nobody waits any more.
  ended.catch(() => undefined)
  for (;;) {
    const finished = await within(ended, waitMs)
    if (finished !== null) return finished
    const row = id === null ? undefined : await readRun(db, id)
    if (row !== undefined) return gcRunOf(row)
  }
}

async function within(work: Promise<GcRun>, ms: number): Promise<GcRun | null> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms)
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}
