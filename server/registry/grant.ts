import type { Database } from '@/db/client'
import { runCommand } from './command'
import { decideGrant } from './decide'
import { normaliseGrants } from './grants'
import { workflowNotFound } from './not-found'
import type { Grants } from './views'

export type GrantInput = { name: string; grants: Grants; expectedVersion?: number | undefined }

/** Replaces what a workflow may do. Holds for every version, until it is granted anew. */
export async function grantWorkflow(
  db: Database,
  { name, grants, expectedVersion }: GrantInput,
  actor: { name: string },
): Promise<{ name: string; grants: Grants; version: number }> {
  const wanted = normaliseGrants(grants)
  const command = { name, actor: actor.name, note: null, expectedVersion }
  const { after } = await runCommand(db, command, async (_tx, now) => {
    if (!now) throw workflowNotFound(name)
    return decideGrant(now, wanted)
  })
  if (!after) throw workflowNotFound(name)
  return { name, grants: after.grants, version: after.version }
}
