import { type Database, type Queryable, withTransaction } from '@/db/client'
import { appendEvent } from '@/db/queries/registry/append-event'
import { lockWorkflow } from '@/db/queries/registry/lock-workflow'
import { latestEvent } from '@/db/queries/registry/read-events'
import type { WorkflowRow } from '@/db/queries/registry/read-workflow'
import { saveWorkflow } from '@/db/queries/registry/save-workflow'
import { workflowLimitsSchema } from '@/server/threads/limits'
import { type Change, evolve, expectVersion, type WorkflowState } from './decide'
import { normaliseLimits } from './limits'
import { grantsSchema } from './views'

export type Command = {
  name: string
  actor: string
  note: string | null
  /** The version that the caller saw; another one now is a CONFLICT. */
  expectedVersion: number | undefined
}

/**
 * One registry command: shuts out other writers of this workflow, lets `decide` say what changes, and writes the events and
 * the projection in the same transaction. Without changes it writes nothing.
 */
export function runCommand(
  db: Database,
  command: Command,
  decide: (tx: Queryable, now: WorkflowState | null) => Promise<Change[]>,
): Promise<{ before: WorkflowState | null; after: WorkflowState | null; changes: Change[] }> {
  const { name, actor, note } = command
  return withTransaction(db, async (tx) => {
    const row = await lockWorkflow(tx, name)
    const before = row && stateOf(row)
    expectVersion(name, before, command.expectedVersion, row && (await latestEvent(tx, name)))
    const changes = await decide(tx, before)
    let after = before
    for (const change of changes) {
      const seq = await appendEvent(tx, {
        workflow: name,
        type: change.type,
        before: change.before,
        after: change.after,
        actor,
        note,
        data: dataOf(change),
      })
      after = evolve(after, change, seq)
    }
    if (after && changes.length > 0) await saveWorkflow(tx, { name, ...after })
    return { before, after, changes }
  })
}

function dataOf(change: Change): object {
  if (change.type === 'granted') return { grants: change.grants }
  return change.type === 'limited' ? { limits: change.limits } : {}
}

export function stateOf(row: WorkflowRow): WorkflowState {
  const { current, state, version } = row
  const limits = normaliseLimits(workflowLimitsSchema.parse(row.limits))
  return { current, state, version, grants: grantsSchema.parse(row.grants), limits }
}
