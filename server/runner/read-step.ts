import type { Queryable } from '@/db/client'
import { findDigests } from '@/db/queries/threads/find-object'
import type { JsonObject } from '@/sdk/types'
import type { Hash } from '@/server/kernel/ids'
import type { Content, PendingContents } from './pending-contents'
import { roleOutputSchema, whatIsWrong } from './role-output'

export type StepParts = {
  role: string
  meta: JsonObject
  content: Content
  childThread: { hash: Hash; digest: Buffer } | null
}

/** What a generator yielded, with all that it names found; or why it cannot be recorded. */
export async function readStep(
  db: Queryable,
  contents: PendingContents,
  output: unknown,
): Promise<StepParts | { wrong: string }> {
  const parsed = roleOutputSchema.safeParse(output)
  if (!parsed.success) return { wrong: whatIsWrong(parsed.error) }
  const { role, contentHash, meta, refs, childThread } = parsed.data
  const content = await contents.find(contentHash)
  if (content === undefined) {
    return { wrong: `${role} names the content ${contentHash}, which does not exist: store it with runtime.cas.put` }
  }
  if (content.refs.join() !== refs.join()) {
    return { wrong: `${role} gives other refs than its content was stored with: pass them to runtime.cas.put` }
  }
  if (childThread === null) return { role, meta, content, childThread }
  const digest = (await findDigests(db, [childThread])).get(childThread)
  if (digest === undefined) return { wrong: `the child thread ${childThread} of ${role} does not exist` }
  return { role, meta, content, childThread: { hash: childThread, digest } }
}
