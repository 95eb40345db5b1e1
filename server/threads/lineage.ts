import type { Queryable } from '@/db/client'
import { findParents } from '@/db/queries/threads/find-parents'
import { findStateNode } from '@/db/queries/threads/find-step'
import { readChildren, readChildrenOfAll, readForks } from '@/db/queries/threads/read-lineage'
import { readStart } from '@/db/queries/threads/read-start'
import { readThread, type ThreadRow } from '@/db/queries/threads/read-thread'
import { demandThread, threadNotFound } from './not-found'
import { isFinished } from './status'
import { isStep, stepsUpTo } from './step-numbers'
import { summaryOf } from './summary-view'
import type { Caller, ChildThread, ChildTree, ThreadSummary } from './views'

/** Children of one thread that the call stack shows, and threads in all of it. */
const SHOWN = { each: 50, all: 300 }

type PageOf<T> = { items: T[]; nextCursor: string | null }
type Page = { id: string; cursor?: string | undefined; limit: number }

/** The threads that a thread called, newest first. Throws NOT_FOUND. */
export async function listChildren(db: Queryable, { id, cursor, limit }: Page): Promise<PageOf<ChildThread>> {
  await demandThread(db, id)
  const rows = await readChildren(db, { of: id, before: cursor, limit: limit + 1 })
  return pageOf(rows, limit, (row) => ({ ...summaryOf(row), end: endOf(row) }))
}

/** The threads that were forked from a thread, newest first. Throws NOT_FOUND. */
export async function listForks(db: Queryable, { id, cursor, limit }: Page): Promise<PageOf<ThreadSummary>> {
  await demandThread(db, id)
  return pageOf(await readForks(db, { of: id, before: cursor, limit: limit + 1 }), limit, summaryOf)
}

/**
 * Who called a thread, the outermost first and each with the step after which it called, and whom it called, in the order of
 * the calls and all the way down, as far as `SHOWN` goes. Callers that were removed are left out. Throws NOT_FOUND.
 */
export async function callStack(db: Queryable, id: string): Promise<{ up: Caller[]; down: ChildTree[] }> {
  const thread = await readThread(db, id)
  if (thread === null) throw threadNotFound(id)
  const [up, down] = await Promise.all([callersOf(db, thread), childrenOf(db, thread)])
  return { up, down }
}

async function callersOf(db: Queryable, thread: ThreadRow): Promise<Caller[]> {
  const rows = await Promise.all((await findParents(db, thread.id)).map((id) => readThread(db, id)))
  const callers = rows.filter((row) => row !== null)
  // callers[i] called callers[i - 1], and callers[0] this thread.
  const called = [thread, ...callers]
  const up = await Promise.all(
    callers.map(async (caller, at) => ({
      thread: summaryOf(caller),
      calledAt: await calledAt(db, caller, called[at]?.start ?? ''),
    })),
  )
  return up.reverse()
}

/** Where a thread was called: the node that its start node names. */
async function calledAt(db: Queryable, caller: ThreadRow, start: string): Promise<Caller['calledAt']> {
  const hash = (await readStart(db, start))?.parentState ?? null
  const node = hash === null ? null : await findStateNode(db, hash)
  if (node === null || node.height > caller.height) return null
  const step = await stepsUpTo(db, caller, node.height)
  return { hash: node.hash, step, role: isStep(node.role) ? node.role : null }
}

async function childrenOf(db: Queryable, thread: ThreadRow): Promise<ChildTree[]> {
  const top: ChildTree = { thread: summaryOf(thread), children: [], more: false }
  let shown = 0
  for (let level = [top]; level.length > 0; ) {
    const trees = new Map(level.map((tree) => [tree.thread.id, tree]))
    const rows = await readChildrenOfAll(db, [...trees.keys()], SHOWN.each + 1)
    level = []
    for (const row of rows) {
      const above = trees.get(row.parentThread ?? '')
      if (above === undefined) continue
      if (above.children.length === SHOWN.each || shown === SHOWN.all) {
        above.more = true
        continue
      }
      const tree: ChildTree = { thread: summaryOf(row), children: [], more: false }
      above.children.push(tree)
      level.push(tree)
      shown++
    }
  }
  return top.children
}

function pageOf<T extends { id: string }>(rows: ThreadRow[], limit: number, view: (row: ThreadRow) => T): PageOf<T> {
  const items = rows.slice(0, limit).map(view)
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null }
}

function endOf(row: ThreadRow): string | null {
  return isFinished(row.status) && row.status !== 'dropped' ? row.head : null
}
