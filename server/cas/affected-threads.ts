import type { Queryable } from '@/db/client'
import {
  type Entry,
  findChildren,
  findHolders,
  findHolding,
  findListing,
  findStarts,
  findThreads,
  type Target,
} from '@/db/queries/cas/find-affected'

/** Threads that a report names, at most. */
export const MAX_AFFECTED = 1_000
/** Damaged nodes that are looked for in chains, at most, and as many in one statement. */
const MAX_TARGETS = 500
const TARGETS_AT_ONCE = 50
/** Callers of callers, and contents that list contents: levels that are followed. */
const MAX_LEVELS = 16

export type Damage = {
  states: Target[]
  starts: string[]
  /** Contents, groups and raw blobs. */
  blobs: string[]
  bundles: string[]
}

/**
 * Ids of the threads whose history holds something damaged: by their own chain, shared with forks, through a child thread
 * or through the caller that their start node names. Sorted; at most `MAX_AFFECTED`.
 */
export async function affectedThreads(db: Queryable, damage: Damage): Promise<string[]> {
  const affected = new Set<string>()
  let targets = damage.states
  const starts = [...damage.starts]
  const blobs = await withListing(db, damage.blobs)
  if (blobs.length > 0) {
    targets = [...targets, ...(await findHolders(db, { blobs, ends: blobs, limit: MAX_AFFECTED }))]
    starts.push(...(await findStarts(db, blobs, MAX_AFFECTED)))
  }
  let fresh = await directly(db, { starts, bundles: damage.bundles, targets })
  for (let level = 0; level < MAX_LEVELS && fresh.length > 0 && affected.size < MAX_AFFECTED; level++) {
    for (const entry of fresh) affected.add(entry.id)
    const ends = await withListing(
      db,
      fresh.map((entry) => entry.head),
    )
    const callers = await findHolders(db, { blobs: [], ends, limit: MAX_AFFECTED })
    const found = [
      ...(await directly(db, { starts: [], bundles: [], targets: callers })),
      ...(await children(db, fresh, { starts, targets: [...targets, ...callers] })),
    ]
    targets = [...targets, ...callers]
    fresh = found.filter((entry) => !affected.has(entry.id))
  }
  return [...affected].sort().slice(0, MAX_AFFECTED)
}

async function directly(
  db: Queryable,
  { starts, bundles, targets }: { starts: string[]; bundles: string[]; targets: Target[] },
): Promise<Entry[]> {
  const whole =
    starts.length + bundles.length === 0 ? [] : await findThreads(db, { starts, bundles, limit: MAX_AFFECTED })
  if (targets.length === 0) return whole
  const chains = [...new Set(targets.map((target) => target.start))]
  const candidates = await findThreads(db, { starts: chains, bundles: [], limit: MAX_AFFECTED })
  return [...whole, ...(await holding(db, candidates, targets))]
}

/** Children are entered at their caller: one whose caller came before the damage does not hold it. */
async function children(
  db: Queryable,
  parents: Entry[],
  { starts, targets }: { starts: string[]; targets: Target[] },
): Promise<Entry[]> {
  const called = await findChildren(
    db,
    parents.map((entry) => entry.id),
    MAX_AFFECTED,
  )
  const held = new Set((await holding(db, called, targets)).map((entry) => entry.id))
  return called
    .filter((entry) => held.has(entry.id) || starts.includes(entry.start))
    .map(({ ownHead, ...entry }) => ({ ...entry, head: ownHead }))
}

/** Those of the entries whose chain holds one of the targets. */
async function holding<E extends Entry>(db: Queryable, entries: E[], targets: Target[]): Promise<E[]> {
  const held = new Set<string>()
  for (let at = 0; at < Math.min(targets.length, MAX_TARGETS); at += TARGETS_AT_ONCE) {
    const open = entries.filter((entry) => !held.has(entry.id))
    if (open.length === 0) break
    for (const id of await findHolding(db, open, targets.slice(at, at + TARGETS_AT_ONCE))) held.add(id)
  }
  return entries.filter((entry) => held.has(entry.id))
}

/** With the contents and groups that list them, and those that list these. */
async function withListing(db: Queryable, hashes: string[]): Promise<string[]> {
  const all = new Set(hashes)
  let fresh = hashes
  for (let level = 0; level < MAX_LEVELS && fresh.length > 0; level++) {
    const listing = await findListing(db, fresh, MAX_AFFECTED)
    fresh = listing.filter((hash) => !all.has(hash))
    for (const hash of fresh) all.add(hash)
  }
  return [...all]
}
