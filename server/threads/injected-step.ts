import type { Queryable } from '@/db/client'
import type { CommandNode } from '@/db/queries/threads/command-node'
import { findDigests } from '@/db/queries/threads/find-object'
import type { JsonObject } from '@/sdk/types'
import { AppError } from '@/server/kernel/errors'
import { type Hash, hashSchema } from '@/server/kernel/ids'
import { bundleDescriptor } from '@/server/registry/source'
import { buildNext, type ChainTop, linkedContent } from './chain-top'
import { checkAnswer, problemText } from './check-answer'
import { refuseAbove } from './start'

/** What a role is to have returned. */
export type StepOverride = { role: string; content: string; meta: JsonObject; refs?: string[] | undefined }

/**
 * A step that somebody writes instead of its role. It is held to what the role is held to: the role is
 * one of the bundle, the meta is what its schema asks for, the refs exist. Throws BAD_INPUT, MISSING_REF, LIMIT_EXCEEDED.
 */
export async function injectedStep(
  db: Queryable,
  bundle: string,
  top: ChainTop,
  step: StepOverride,
): Promise<CommandNode & { hash: Hash }> {
  await demandRole(db, bundle, step)
  const refs = (step.refs ?? []).map((ref) => hashSchema.parse(ref))
  const digests = await findDigests(db, refs)
  const missing = refs.filter((ref) => !digests.has(ref))
  if (missing.length > 0) {
    const message = `The step refers to what is not stored: ${missing.join(', ')}. Store it first.`
    throw new AppError('MISSING_REF', message, { refs: missing })
  }
  const inOrder = refs.flatMap((ref) => digests.get(ref) ?? [])
  const content = linkedContent(step.content, refs, inOrder)
  refuseAbove('overrides.step.content', Buffer.byteLength(content.body))
  const { role, meta } = step
  const node = buildNext(top, { role, meta, content, childThread: null, now: top.timestamp })
  return { ...node, role, start: top.start.hash, content }
}

async function demandRole(db: Queryable, bundle: string, { role, meta }: StepOverride): Promise<void> {
  const { descriptor } = await bundleDescriptor(db, bundle)
  const known = new Map(Object.entries(descriptor.roles)).get(role)
  if (known === undefined) {
    const message = `The version ${bundle} has no role ${role}. It has ${Object.keys(descriptor.roles).join(', ')}.`
    throw new AppError('BAD_INPUT', message, { field: 'overrides.step.role' })
  }
  const checked = checkAnswer(known.schema, meta)
  if (checked.ok) return
  const message = `The meta is not what the role ${role} returns: ${problemText(checked.problems)}. Nothing was forked.`
  const path = checked.problems[0]?.path ?? ''
  throw new AppError('BAD_INPUT', message, {
    field: ['overrides.step.meta', path].filter((part) => part !== '').join('.'),
  })
}
