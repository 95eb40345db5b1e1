import { type Database, type Queryable, withTransaction } from '@/db/client'
import { type NodeAbove, nodesAbove, type Place } from '@/db/queries/ops/rebuild/nodes-above'
import {
  type EventRow,
  headOwners,
  holdsLease,
  nextIds,
  readEvents,
  readHeads,
  readLogFacts,
  readRows,
  readStarts,
  type ThreadRow,
} from '@/db/queries/ops/rebuild/read-evidence'
import { deleteThread, tellRebuilt, writeThread } from '@/db/queries/ops/rebuild/write-thread'
import { END } from '@/server/kernel/ids'
import { foldEvents, type Told } from './fold-events'
import { type Difference, differences, type RebuiltRow, rebuiltRow } from './rebuilt-row'

export type RebuiltThreads = {
  checked: number
  differing: Difference[]
  /** Threads whose row was left as it is, and why. */
  undecided: { id: string; why: string }[]
  /** The last thread that was looked at; null when that was the last one of all. */
  next: string | null
}

const THREADS_A_BATCH = 200

/** Looks at every thread after `after`, until the time is over. With `apply` it writes what differs. */
export async function rebuildThreads(
  db: Database,
  { apply, after, untilMs }: { apply: boolean; after: string; untilMs: number },
): Promise<RebuiltThreads> {
  const found: RebuiltThreads = { checked: 0, differing: [], undecided: [], next: after }
  const running: string[] = []
  while (found.next !== null && performance.now() < untilMs) {
    const ids = await nextIds(db, found.next, THREADS_A_BATCH)
    found.next = ids.length < THREADS_A_BATCH ? null : (ids.at(-1) ?? null)
    found.checked += ids.length
    for (const one of await examine(db, ids, new Map())) {
      if ('above' in one) running.push(one.id)
      else if (one.why !== null || one.differing.length > 0) await settle(db, one.id, new Map(), apply, found)
    }
  }
  if (running.length > 0) {
    const heads = await headsOfRunning(db, running, found)
    for (const id of heads.keys()) await settle(db, id, heads, apply, found)
  }
  if (apply && found.differing.length > 0) await tellRebuilt(db)
  return found
}

type Examined =
  | { id: string; why: string | null; stored: ThreadRow | null; rebuilt: RebuiltRow | null; differing: Difference[] }
  /** It runs: what was appended since its last event has to be found first. */
  | { id: string; above: Place }

/** `heads`: of threads that run, where it is known. */
async function examine(
  db: Queryable,
  ids: string[],
  heads: ReadonlyMap<string, string>,
  lock = false,
): Promise<Examined[]> {
  const rows = new Map((await readRows(db, ids, lock)).map((row) => [row.id, row]))
  const events = groupByThread<EventRow>(await readEvents(db, ids))
  const told = new Map(ids.map((id) => [id, foldEvents(events.get(id) ?? [])]))
  const folded = [...told].flatMap(([id, one]) => ('why' in one || one.removed ? [] : [{ id, one }]))
  const headOf = (id: string, one: Told) => heads.get(id) ?? one.head ?? ''
  const [starts, chains, logs] = await Promise.all([
    readStarts(db, [...new Set(folded.map(({ one }) => one.begun.start))]),
    readHeads(db, [...new Set(folded.map(({ id, one }) => headOf(id, one)))]),
    readLogFacts(db, ids),
  ])
  return ids.map((id): Examined => {
    const stored = rows.get(id) ?? null
    const one = told.get(id)
    const because = (why: string) => ({ id, why, stored, rebuilt: null, differing: [] })
    if (one === undefined || 'why' in one) return because(one?.why ?? 'It has no event.')
    if (one.removed) return { id, why: null, stored, rebuilt: null, differing: differences(id, stored, null) }
    if (one.head === null) return because('Its last event does not say its head: it was written by an earlier version.')
    if (one.status === 'running' && !heads.has(id)) {
      return { id, above: { thread: id, start: one.begun.start, head: one.head, height: one.height } }
    }
    const head = headOf(id, one)
    const rebuilt = rebuiltRow(id, one, {
      start: starts.find(({ hash }) => hash === one.begun.start),
      head: head === one.begun.start ? 'start' : chains.find(({ hash }) => hash === head),
      log: logs.get(id) ?? { lines: 0, bytes: 0 },
    })
    if ('why' in rebuilt) return because(rebuilt.why)
    return { id, why: null, stored, rebuilt, differing: differences(id, stored, rebuilt) }
  })
}

/** Looks again under the lock of its row: what differs then is no matter of time. */
async function settle(
  db: Database,
  id: string,
  heads: ReadonlyMap<string, string>,
  apply: boolean,
  found: RebuiltThreads,
): Promise<void> {
  await withTransaction(db, async (tx) => {
    const [one] = await examine(tx, [id], heads, true)
    // It runs by now: it is the next look's.
    if (one === undefined || 'above' in one) return
    if (one.why !== null) {
      found.undecided.push({ id, why: one.why })
      return
    }
    if (one.differing.length === 0) return
    if (one.stored !== null && (await holdsLease(tx, id))) {
      const columns = one.differing.map(({ column }) => column).join(', ')
      const why = `A runner holds it, so that its row may be ahead of what was read; it differs in ${columns}. Drain the runner or kill the thread, and look again.`
      found.undecided.push({ id, why })
      return
    }
    found.differing.push(...one.differing)
    if (!apply) return
    if (one.rebuilt === null) await deleteThread(tx, id)
    else await writeThread(tx, one.rebuilt, one.stored !== null)
  })
}

/** The heads of threads that run, by walking on from their last event. Where several chains go on, it is undecided. */
async function headsOfRunning(db: Database, ids: string[], found: RebuiltThreads): Promise<Map<string, string>> {
  const places = (await examine(db, ids, new Map())).flatMap((one) => ('above' in one ? [one.above] : []))
  const above = groupByThread<NodeAbove>(await nodesAbove(db, places))
  const heads = new Map<string, string>()
  for (const place of places) {
    const head = await headAbove(db, place, above.get(place.thread) ?? [])
    if (head === null) {
      const why = `More than one chain goes on after ${place.head}, and nothing says which is its own.`
      found.undecided.push({ id: place.thread, why })
    } else heads.set(place.thread, head)
  }
  return heads
}

/** Tips that are not an end (that would have an event), nor the head of another thread with the same start. */
async function headAbove(db: Database, place: Place, above: readonly NodeAbove[]): Promise<string | null> {
  const tips = above.filter(({ tip, role }) => tip && role !== END).map(({ hash }) => hash)
  if (tips.length === 0) return place.head
  const owners = await headOwners(db, place.start, tips)
  if (owners.some(({ id }) => id === place.thread)) {
    return owners.find(({ id }) => id === place.thread)?.head ?? null
  }
  const free = tips.filter((tip) => !owners.some(({ head }) => head === tip))
  if (free.length === 0) return place.head
  return free.length === 1 ? (free[0] ?? null) : null
}

function groupByThread<T extends { thread: string }>(items: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const group = groups.get(item.thread)
    if (group === undefined) groups.set(item.thread, [item])
    else group.push(item)
  }
  return groups
}
