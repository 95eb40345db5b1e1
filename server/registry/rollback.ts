import type { Database } from '@/db/client'
import { hadVersion, versionBefore } from '@/db/queries/registry/read-versions'
import { runCommand } from './command'
import { decideRollback } from './decide'
import { versionNotFound, workflowNotFound } from './not-found'

export type RollbackInput = {
  name: string
  /** Any version this workflow has had, older or newer; without it the one before the current one. */
  hash?: string | undefined
  note?: string | undefined
  expectedVersion?: number | undefined
}

/** Makes another version current. Threads that run stay on theirs. */
export async function rollbackWorkflow(
  db: Database,
  { name, hash, note, expectedVersion }: RollbackInput,
  actor: { name: string },
): Promise<{ name: string; from: string; to: string; version: number }> {
  const command = { name, actor: actor.name, note: note || null, expectedVersion }
  const { before, after } = await runCommand(db, command, async (tx, now) => {
    if (!now) throw workflowNotFound(name)
    if (hash !== undefined && !(await hadVersion(tx, name, hash))) throw versionNotFound(name, hash)
    return decideRollback(now, hash ?? (await versionBefore(tx, name, now.current)))
  })
  if (!before || !after) throw workflowNotFound(name)
  return { name, from: before.current, to: after.current, version: after.version }
}
