import * as z from 'zod'
import type { Queryable } from '@/db/client'
import type { EventRow } from '@/db/queries/registry/append-event'
import { readAllEvents } from '@/db/queries/registry/read-events'
import { AppError } from '@/server/kernel/errors'
import { workflowLimitsSchema } from '@/server/threads/limits'
import { type Change, evolve, type WorkflowState } from './decide'
import { normaliseLimits } from './limits'
import { grantsSchema } from './views'

/** What the events of a workflow say it is; its row in `workflows` must equal it. Null when it has no event. */
export async function rebuildProjection(db: Queryable, name: string): Promise<WorkflowState | null> {
  let state: WorkflowState | null = null
  for (const event of await readAllEvents(db, name)) state = evolve(state, changeOf(event), event.seq)
  return state
}

function changeOf({ seq, type, before, after, data }: EventRow): Change {
  if (after === null) throw new AppError('INTERNAL', `Registry event ${seq} names no version.`, {})
  if (type === 'limited') {
    const { limits } = z.object({ limits: workflowLimitsSchema }).parse(data)
    return { type, before: before ?? after, after, limits: normaliseLimits(limits) }
  }
  if (type !== 'granted') return { type, before, after }
  return { type, before: before ?? after, after, grants: z.object({ grants: grantsSchema }).parse(data).grants }
}
