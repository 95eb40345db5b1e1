import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'
import { readWorkflow, type WorkflowRow } from './read-workflow'

/**
 * The workflow's row, or null, with every other writer of this name shut out until the transaction ends. The lock is on the
 * name and not on the row, so that it holds for a workflow that does not exist yet. It is the first lock that a registry
 * command takes, and it takes one name only.
 */
export async function lockWorkflow(tx: Queryable, name: string): Promise<WorkflowRow | null> {
  await mapped(tx.sql`select pg_advisory_xact_lock(hashtextextended(${`registry:${name}`}, 0))`)
  return readWorkflow(tx, name)
}
