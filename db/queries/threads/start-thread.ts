import type { Queryable } from '../../client'
import { mapped } from '../../errors'

export type NewThread = {
  id: string
  workflow: string
  bundle: string
  prompt: { hash: string; body: string; digest: string }
  start: { hash: string; body: string; refs: readonly string[]; digest: string }
  depth: number
  parentState: string | null
  priority: number
  maxRounds: number | null
  deadlineSeconds: number | null
  dryRun: boolean
  tags: string[]
  actor: string
  origin: string
  idempotencyKey: string | null
  idempotencyDigest: string | null
  excerpt: string
  /** The thread that starts it, and the token under which its runner holds that one. */
  parent: { thread: string; token: number } | null
  labels: string[]
  permissions: string[]
  /** Bounds of its workflow; null: none. */
  concurrency: number | null
  queueDepth: number | null
  overflow: 'queue' | 'drop'
}

export type StartedRow = {
  id: string
  created: boolean
  digest: string | null
  status: string
  bundle: string
  /** Why it was dropped. */
  why: string | null
}

/**
 * Prompt, start node, thread row and event in one commit (`start_thread` in the migrations). With an idempotency key that
 * exists already, answers with the thread that has it. Undefined when its parent is no longer held under that token, or is to
 * be killed. Safe to call again only with an idempotency key.
 */
export async function startThreadRow({ sql }: Queryable, t: NewThread): Promise<StartedRow | undefined> {
  const rows = await mapped(
    sql<
      {
        thread: string
        created: boolean
        digest: string | null
        thread_status: string
        thread_bundle: string
        why: string | null
      }[]
    >`
      select * from start_thread(
        ${t.id}, ${t.workflow}, ${t.bundle}, ${t.prompt.hash}, ${t.prompt.body}, ${t.prompt.digest},
        ${t.start.hash}, ${t.start.body}, ${`{${t.start.refs.join(',')}}`}::text[], ${t.start.digest}, ${t.depth}::int,
        ${t.parentState}, ${t.priority}::int, ${t.maxRounds}::int, ${t.deadlineSeconds}::int, ${t.dryRun}::boolean,
        ${t.tags}::text[], ${t.actor}, ${t.origin}, ${t.idempotencyKey}, ${t.idempotencyDigest}, ${t.excerpt},
        ${t.parent?.thread ?? null}, ${t.parent?.token ?? null}::bigint, ${t.labels}::text[], ${t.permissions}::text[],
        ${t.concurrency}::int, ${t.queueDepth}::int, ${t.overflow})`,
  )
  const [row] = rows
  if (row === undefined) return undefined
  return {
    id: row.thread,
    created: row.created,
    digest: row.digest,
    status: row.thread_status,
    bundle: row.thread_bundle,
    why: row.why,
  }
}
