import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'
import { type CommandNode, packNode } from './command-node'

export type NewFork = {
  id: string
  source: string
  marker: CommandNode
  /** A step as if its role had returned it. */
  injected: CommandNode | null
  /** Node that the marker follows; null: it is the first one. */
  forkedAt: string | null
  workflow: string
  bundle: string
  /** `stored`: null where the start node of the source is shared. */
  start: { hash: string; depth: number; stored: { body: string; refs: readonly string[]; digest: Buffer } | null }
  parentState: string | null
  /** `stored`: null where the prompt of the source is shared. */
  prompt: { hash: string; stored: { body: string; digest: Buffer } | null }
  steps: number
  priority: number
  maxRounds: number | null
  tags: string[]
  labels: string[]
  permissions: string[]
  actor: string
  origin: string
  excerpt: string
  reason: string | null
  /** As for a start. */
  concurrency: number | null
  queueDepth: number | null
  overflow: 'queue' | 'drop'
}

/**
 * Forks a thread in one commit (`fork_thread` in the migrations). Null: the source is gone. Otherwise why the bounds of the workflow
 * refuse the fork, and nothing was written; the empty text when it is done.
 */
export async function forkThreadRow({ sql }: Queryable, f: NewFork): Promise<string | null> {
  const injected = f.injected === null ? null : packNode(f.injected)
  const { stored } = f.start
  const rows = await mapped(
    sql<{ refused: string | null }[]>`
      select fork_thread(
        ${f.source}, ${f.id}, ${packNode(f.marker)}::text[], ${injected}::text[], ${f.forkedAt}, ${f.workflow}, ${f.bundle},
        ${f.start.hash}, ${stored?.body ?? null}, ${`{${(stored?.refs ?? []).join(',')}}`}::text[],
        ${stored?.digest.toString('hex') ?? null}, ${f.start.depth}::int, ${f.parentState},
        ${f.prompt.hash}, ${f.prompt.stored?.body ?? null}, ${f.prompt.stored?.digest.toString('hex') ?? null},
        ${f.steps}::int, ${f.priority}::int, ${f.maxRounds}::int, ${f.tags}::text[], ${f.labels}::text[], ${f.permissions}::text[],
        ${f.actor}, ${f.origin}, ${f.excerpt}, ${f.reason}, ${f.concurrency}::int, ${f.queueDepth}::int, ${f.overflow}) as refused`,
  )
  return rows[0]?.refused ?? null
}
