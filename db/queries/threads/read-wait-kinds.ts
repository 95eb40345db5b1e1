import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'

export type WaitKind = 'input' | 'until' | 'threads'

/** What each of these threads waits for now; one that waits for nothing has no entry. */
export async function readWaitKinds({ sql }: Queryable, threads: readonly string[]): Promise<Map<string, WaitKind>> {
  if (threads.length === 0) return new Map()
  const rows = await mapped(sql<{ thread: string; kind: WaitKind }[]>`
    select w.thread, w.kind from waits w join threads t on t.id = w.thread
    where w.thread = any (${[...threads]}) and w.status = 'open' and starts_with(w.key, t.head || '.')`)
  return new Map(rows.map(({ thread, kind }) => [thread, kind]))
}
