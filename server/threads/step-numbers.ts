import type { Queryable } from '@/db/client'
import { countStepsAbove } from '@/db/queries/threads/count-steps-above'
import { findNumberedStep, findRoleRun, nodeAtHeight } from '@/db/queries/threads/find-step'
import type { ThreadMark } from '@/db/queries/threads/read-marks'
import { END, FORK_MARKER, RETRY_MARKER } from '@/server/kernel/ids'
import { isFinished } from './status'

/** Steps are numbered from 1 on; markers and ends are nodes of a chain, with a height, and no steps. */
const NOT_STEPS = [END, FORK_MARKER, RETRY_MARKER]

/** A place in a thread's history: a node, and the number of steps up to it. `hash` null: its beginning. */
export type Place = { hash: string | null; height: number; step: number }

type Chain = Pick<ThreadMark, 'head' | 'height' | 'steps' | 'status'>

export function isStep(role: string): boolean {
  return !NOT_STEPS.includes(role)
}

/** Steps at or below a height. */
export async function stepsUpTo(db: Queryable, chain: Chain, height: number): Promise<number> {
  if (!hasMarkers(chain)) return Math.min(height, chain.steps)
  return chain.steps - (await countStepsAbove(db, { head: chain.head, height, notSteps: NOT_STEPS }))
}

/** The step of this number; null when there is none. */
export async function placeOfStep(db: Queryable, chain: Chain, step: number): Promise<Place | null> {
  if (step === 0) return { hash: null, height: 0, step }
  if (step < 0 || step > chain.steps) return null
  const node = hasMarkers(chain)
    ? await findNumberedStep(db, { head: chain.head, steps: chain.steps, step, notSteps: NOT_STEPS })
    : await nodeAtHeight(db, { head: chain.head, height: step })
  return node === null ? null : { ...node, step }
}

/** A node of this chain, whatever its role; null when it is not one of it. */
export async function placeOfNode(db: Queryable, chain: Chain, hash: string, height: number): Promise<Place | null> {
  if (height > chain.height) return null
  const node = await nodeAtHeight(db, { head: chain.head, height })
  if (node === null || node.hash !== hash) return null
  return { ...node, step: await stepsUpTo(db, chain, height) }
}

/** The nth step of a role, from 1 on, or its last; null when it has not run that often. */
export async function placeOfRun(db: Queryable, chain: Chain, role: string, run: number | null): Promise<Place | null> {
  const node = await findRoleRun(db, { head: chain.head, role, run })
  return node === null ? null : { ...node, step: await stepsUpTo(db, chain, node.height) }
}

/** Without markers heights and step numbers are the same. */
function hasMarkers({ height, steps, status }: Chain): boolean {
  return height - steps - (isFinished(status) ? 1 : 0) !== 0
}
