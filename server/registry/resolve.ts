import { z } from 'zod'
import type { Queryable } from '@/db/client'
import { findCurrent } from '@/db/queries/registry/find-current'
import { hadVersion } from '@/db/queries/registry/read-versions'
import { AppError } from '@/server/kernel/errors'
import { type Hash, hashSchema, type WorkflowName, workflowNameSchema } from '@/server/kernel/ids'
import { versionNotFound, workflowNotFound } from './not-found'

export type ResolvedBundle = {
  name: WorkflowName
  hash: Hash
  /** In the shape of `WorkflowLimits`, as stored. */
  limits: unknown
  /** What the bundle asks for, like exec:git. */
  permissions: string[]
}

/**
 * What `name` or `name@hash` runs: the current version, or any version that this workflow has had. Throws BAD_INPUT for
 * another form, NOT_FOUND, and CONFLICT for a removed workflow.
 */
export async function resolveBundle(db: Queryable, reference: string): Promise<ResolvedBundle> {
  const { name, hash } = parseReference(reference)
  const workflow = await findCurrent(db, name, hash)
  if (!workflow) throw workflowNotFound(name)
  if (workflow.state === 'removed') {
    throw new AppError('CONFLICT', `Workflow ${name} was removed: restore it to start new threads.`, {
      current: 'removed',
    })
  }
  if (hash !== null && !(await hadVersion(db, name, hash))) throw versionNotFound(name, hash)
  const commands = z.array(z.string()).safeParse(workflow.commands)
  return {
    name,
    hash: hash ?? hashSchema.parse(workflow.current),
    limits: workflow.limits,
    permissions: commands.success ? commands.data.map((command) => `exec:${command}`) : [],
  }
}

function parseReference(reference: string): { name: WorkflowName; hash: Hash | null } {
  const at = reference.indexOf('@')
  const name = workflowNameSchema.safeParse(at < 0 ? reference : reference.slice(0, at))
  const hash = at < 0 ? null : hashSchema.safeParse(reference.slice(at + 1))
  if (!name.success || (hash !== null && !hash.success)) {
    throw new AppError(
      'BAD_INPUT',
      `${JSON.stringify(reference.slice(0, 100))} is no workflow: give its name, like solve-issue, or a version, like solve-issue@0K3V7Z2M9Q4TX.`,
      { field: 'workflow' },
    )
  }
  return { name: name.data, hash: hash?.data ?? null }
}
