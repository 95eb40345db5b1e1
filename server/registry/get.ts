import type { Queryable } from '@/db/client'
import { readStoredDescriptor } from '@/db/queries/registry/read-bundle'
import { readVersions } from '@/db/queries/registry/read-versions'
import { readWorkflow } from '@/db/queries/registry/read-workflow'
import { stateOf } from './command'
import { missingGrants } from './grants'
import { workflowNotFound } from './not-found'
import { descriptorSchema, type WorkflowDetail } from './views'

/** Versions that a workflow's page shows; older ones are in its history. */
const SHOWN_VERSIONS = 200

/** A workflow with its versions, also when it was removed. */
export async function getWorkflow(db: Queryable, name: string): Promise<WorkflowDetail> {
  const row = await readWorkflow(db, name)
  if (!row) throw workflowNotFound(name)
  const { current, state, version, grants, limits } = stateOf(row)
  const [stored, versions] = await Promise.all([
    readStoredDescriptor(db, current),
    readVersions(db, name, SHOWN_VERSIONS),
  ])
  const descriptor = descriptorSchema.parse(stored)
  return {
    name,
    current,
    state,
    version,
    descriptor,
    grants,
    limits,
    missingGrants: missingGrants(descriptor, grants),
    updatedAt: row.updatedAt.toISOString(),
    versions: versions.map((one) => ({
      ...one,
      addedAt: one.addedAt.toISOString(),
      isCurrent: one.hash === current,
    })),
  }
}
