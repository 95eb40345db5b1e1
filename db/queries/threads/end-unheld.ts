import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'
import { plainText } from './append-steps'
import { type CommandNode, packNode } from './command-node'

export type EndUnheld = {
  thread: string
  /** Token and head that the node was built on. */
  token: number
  expected: string
  node: CommandNode
  status: 'completed' | 'failed' | 'killed'
  returnCode: number
  summary: string
  actor: string
}

/**
 * Ends a thread that no runner holds (`end_unheld` in the migrations). False: a runner holds it, it has ended, or it has moved
 * since the node was built; nothing was written.
 */
export async function endUnheld({ sql }: Queryable, end: EndUnheld): Promise<boolean> {
  const rows = await mapped(
    sql<{ done: boolean }[]>`
      select end_unheld(${end.thread}, ${end.token}::bigint, ${end.expected}, ${packNode(end.node)}::text[], ${end.status},
        ${end.returnCode}::int, ${plainText(end.summary)}, ${end.actor}) as done`,
  )
  return rows[0]?.done ?? false
}
