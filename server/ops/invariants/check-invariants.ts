import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import type { Queryable } from '@/db/client'
import { nextThreads, sampleThreads, type Violation } from '@/db/queries/ops/invariants/look'
import { danglingObjects, type ObjectTable } from '@/db/queries/ops/invariants/references'
import { databaseNow } from '@/db/queries/ops/ping'
import { RUNNER_ALIVE_SECONDS } from '@/server/kernel/runner-alive'
import { INVARIANTS, type Invariant, OBJECTS } from './invariants'

export const invariantReportSchema = z.object({
  ok: z.boolean(),
  /** The database's clock. */
  checkedAt: z.string(),
  items: z.array(
    z.object({
      name: z.string(),
      title: z.string(),
      ok: z.boolean(),
      /** Ids of rows (threads, workflows, runners, versions, objects), 20 at most. */
      violations: z.array(z.object({ id: z.string(), message: z.string() })),
      /** There are more. */
      truncated: z.boolean(),
    }),
  ),
})
export type InvariantReport = z.infer<typeof invariantReportSchema>

export type InvariantOptions = {
  /** Every thread and every object, whatever that takes; else a bounded sample of the newest and the unfinished ones. */
  deep?: boolean
  /** What may be on its way is reported when it is like that for longer, in seconds. Default 30. */
  settleSeconds?: number
}

/** Violations that one item names. */
const MAX_VIOLATIONS = 20
const SETTLE_SECONDS = 30
/** Before a second look at what may be on its way: longer than a runner's poll without notifications. */
const LOOK_AGAIN_MS = 2_000
const SAMPLE = { newest: 200, ofStatus: 1_000 }
/** In a sample only the newest threads are walked, when they are no longer than this. */
const WALKED = { threads: 200, maxHeight: 200 }
const THREADS_A_BATCH = 1_000
const OBJECTS_A_BATCH = 5_000
const MAX_INT = 2_147_483_647

/**
 * Proves from the tables alone that nothing is lost, held by nobody, counted wrong or waiting for what cannot happen. Reads only;
 * each statement sees one state of the database.
 */
export async function checkInvariants(db: Queryable, options: InvariantOptions = {}): Promise<InvariantReport> {
  const { deep = false, settleSeconds = SETTLE_SECONDS } = options
  const found = new Map<string, Violation[]>()
  const batches = deep ? everyThread(db) : sampled(db)
  const look = { settleSeconds, aliveSeconds: RUNNER_ALIVE_SECONDS, limit: MAX_VIOLATIONS + 1 }
  const run = async (invariant: Invariant, ids: string[]) => {
    const once = () =>
      invariant.of === 'threads'
        ? invariant.check(db, walkable(invariant, ids, deep), { ...look, maxHeight: deep ? MAX_INT : WALKED.maxHeight })
        : invariant.check(db, look)
    const violations = await once()
    if (violations.length === 0 || !invariant.settles || settleSeconds === 0)
      return add(found, invariant.name, violations)
    await pause(LOOK_AGAIN_MS)
    const still = new Set((await once()).map(({ id }) => id))
    add(
      found,
      invariant.name,
      violations.filter(({ id }) => still.has(id)),
    )
  }
  for await (const ids of batches) {
    for (const invariant of INVARIANTS) if (invariant.of === 'threads') await run(invariant, ids)
  }
  for (const invariant of INVARIANTS) if (invariant.of === 'everything') await run(invariant, [])
  if (deep) await checkObjects(db, found)
  const items = [...INVARIANTS, ...(deep ? [OBJECTS] : [])].map(({ name, title }) => {
    const violations = found.get(name) ?? []
    const truncated = violations.length > MAX_VIOLATIONS
    return { name, title, ok: violations.length === 0, violations: violations.slice(0, MAX_VIOLATIONS), truncated }
  })
  return { ok: items.every(({ ok }) => ok), checkedAt: (await databaseNow(db)).toISOString(), items }
}

function walkable(invariant: Invariant, ids: string[], deep: boolean): string[] {
  return invariant.name === 'chains' && !deep ? ids.slice(0, WALKED.threads) : ids
}

async function* sampled(db: Queryable): AsyncGenerator<string[]> {
  const ids = await sampleThreads(db, SAMPLE)
  if (ids.length > 0) yield ids
}

async function* everyThread(db: Queryable): AsyncGenerator<string[]> {
  for (let after = ''; ; ) {
    const ids = await nextThreads(db, after, THREADS_A_BATCH)
    const last = ids.at(-1)
    if (last === undefined) return
    yield ids
    after = last
  }
}

async function checkObjects(db: Queryable, found: Map<string, Violation[]>): Promise<void> {
  const tables: readonly ObjectTable[] = ['blobs', 'start_nodes', 'state_nodes']
  for (const table of tables) {
    for (let after: string | null = ''; after !== null; ) {
      const page = await danglingObjects(db, { table, after, batch: OBJECTS_A_BATCH, limit: MAX_VIOLATIONS + 1 })
      add(found, OBJECTS.name, page.violations)
      after = page.last
    }
  }
}

function add(found: Map<string, Violation[]>, name: string, violations: readonly Violation[]): void {
  if (violations.length > 0) found.set(name, [...(found.get(name) ?? []), ...violations])
}
