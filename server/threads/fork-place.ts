import type { Queryable } from '@/db/client'
import { findStateNode } from '@/db/queries/threads/find-step'
import type { ThreadRow } from '@/db/queries/threads/read-thread'
import { AppError } from '@/server/kernel/errors'
import { END } from '@/server/kernel/ids'
import { type Place, placeOfNode, placeOfRun, placeOfStep } from './step-numbers'

/** `step`: its number, 0 for the beginning. `hash`: of a state node, or of the start node. `run`: from 1 on; the default is the last. */
export type ForkPoint = { step: number } | { hash: string } | { role: string; run?: number | undefined }

const BEGINNING: Place = { hash: null, height: 0, step: 0 }

/** Where a fork leaves its source. Throws BAD_INPUT saying what the source has. */
export async function findForkPlace(db: Queryable, source: ThreadRow, at: ForkPoint | undefined): Promise<Place> {
  if (at === undefined)
    return demand(await placeOfStep(db, source, Math.max(0, source.steps - 1)), source, 'at', 'step')
  if ('step' in at) return demand(await placeOfStep(db, source, at.step), source, 'at.step', `step ${at.step}`)
  if ('role' in at) {
    const { role, run } = at
    const what = run === undefined ? `step of ${role}` : `step number ${run} of ${role}`
    return demand(await placeOfRun(db, source, role, run ?? null), source, 'at.role', what)
  }
  if (at.hash === source.start) return BEGINNING
  const node = await findStateNode(db, at.hash)
  const place = node === null ? null : await placeOfNode(db, source, at.hash, node.height)
  if (node?.role === END && place !== null) {
    const message = `The node ${at.hash} is an end, after which nothing comes: retry the thread, or fork it at a step.`
    throw new AppError('BAD_INPUT', message, { field: 'at.hash' })
  }
  return demand(place, source, 'at.hash', `node ${at.hash}`)
}

function demand(place: Place | null, source: ThreadRow, field: string, what: string): Place {
  if (place !== null) return place
  const message = `Thread ${source.id} has no ${what}: it has ${source.steps} steps. Give one of them, or 0 for its beginning.`
  throw new AppError('BAD_INPUT', message, { field })
}
