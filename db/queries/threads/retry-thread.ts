import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'
import { type CommandNode, packNode } from './command-node'

/**
 * Puts a thread that failed or was killed back into the queue, behind the marker `node` (`retry_thread` in the migrations). False: it
 * is neither any more, or its head is not `expected`; nothing was written.
 */
export async function retryThreadRow(
  { sql }: Queryable,
  retry: { thread: string; expected: string; node: CommandNode; actor: string; reason: string | null },
): Promise<boolean> {
  const { thread, expected, node, actor, reason } = retry
  const rows = await mapped(
    sql<{ done: boolean }[]>`
      select retry_thread(${thread}, ${expected}, ${packNode(node)}::text[], ${actor}, ${reason}) as done`,
  )
  return rows[0]?.done ?? false
}
