import type { Database } from '@/db/client'
import type { WorkflowLimits } from '@/server/threads/limits'
import { runCommand } from './command'
import { decideLimit } from './decide'
import { normaliseLimits } from './limits'
import { workflowNotFound } from './not-found'

export type LimitInput = {
  name: string
  limits: WorkflowLimits
  note?: string | undefined
  expectedVersion?: number | undefined
}

/**
 * Replaces the bounds set for a workflow. Holds for every version. Bounds of how its threads are queued and claimed hold at
 * once; bounds of a running thread are those at its claim.
 */
export async function limitWorkflow(
  db: Database,
  { name, limits, note, expectedVersion }: LimitInput,
  actor: { name: string },
): Promise<{ name: string; limits: WorkflowLimits; version: number }> {
  const wanted = normaliseLimits(limits)
  const command = { name, actor: actor.name, note: note || null, expectedVersion }
  const { after } = await runCommand(db, command, async (_tx, now) => {
    if (!now) throw workflowNotFound(name)
    return decideLimit(now, wanted)
  })
  if (!after) throw workflowNotFound(name)
  return { name, limits: after.limits, version: after.version }
}
