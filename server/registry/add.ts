import type { Database } from '@/db/client'
import { putBundle } from '@/db/queries/registry/put-bundle'
import { hadVersion } from '@/db/queries/registry/read-versions'
import type { Actor } from '@/server/access/actor'
import { mayDo } from '@/server/access/permissions'
import { digestOf, hashBytes, initHash } from '@/server/cas/hash'
import { AppError } from '@/server/kernel/errors'
import type { Hash } from '@/server/kernel/ids'
import { type BundleUpload, checkBundle, rejectedBundle } from './check'
import { runCommand } from './command'
import { decideAdd } from './decide'
import { normaliseGrants } from './grants'
import type { Grants } from './views'

export type AddInput = BundleUpload & {
  note?: string | undefined
  /** Replace what the workflow may do. */
  grants?: Grants | undefined
  expectedVersion?: number | undefined
}

export type Added = {
  name: string
  hash: Hash
  version: number
  /** Whether this workflow has this bundle for the first time. */
  created: boolean
  warnings: string[]
}

/**
 * Checks a bundle, stores it by its hash and makes it current. The bytes that are current already change nothing. Throws
 * BUNDLE_REJECTED with every finding; then nothing is stored.
 */
export async function addWorkflow(db: Database, input: AddInput, actor: Pick<Actor, 'name' | 'role'>): Promise<Added> {
  const { name, source, types, note, expectedVersion } = input
  const grants = input.grants ? normaliseGrants(input.grants) : null
  if (grants && !mayDo(actor.role, 'workflow:grant')) {
    throw new AppError('FORBIDDEN', 'Granting needs an admin: add the bundle without grants, and ask one.', {})
  }
  const report = await checkBundle(input)
  if (!report.ok) throw rejectedBundle(name, report.findings)

  await initHash()
  const hash = hashBytes(source)
  const bundle = {
    hash,
    source,
    digest: digestOf(source, []),
    descriptor: report.descriptor,
    types: types ?? null,
    size: Buffer.byteLength(source, 'utf8'),
  }
  let created = false
  const command = { name, actor: actor.name, note: note || null, expectedVersion }
  const { after } = await runCommand(db, command, async (tx, now) => {
    const changes = decideAdd(now, { hash, grants })
    created = !(await hadVersion(tx, name, hash))
    await putBundle(tx, bundle)
    return changes
  })
  if (!after) throw new AppError('INTERNAL', `Workflow ${name} was not written.`, {})
  return { name, hash, version: after.version, created, warnings: report.warnings }
}
