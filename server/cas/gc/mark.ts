import { condemn, levelRanks, lowerRanks } from '@/db/queries/cas/gc-condemn'
import {
  type CasTable,
  createMarkTables,
  markBelow,
  markOtherRoots,
  markThreads,
  markYoung,
  type Part,
  pagesOf,
} from '@/db/queries/cas/gc-mark'
import type { Collector } from './collector'

const TABLES: readonly CasTable[] = ['blobs', 'start_nodes', 'state_nodes']
/** Pages of a table (8 KiB each), or threads, that one statement looks at. */
const PAGES_AT_ONCE = 1_000
const THREADS_AT_ONCE = 10_000
/** Rounds in which ranks are put right one by one. Only clocks that ran backwards for long could need more. */
const RANK_ROUNDS = 64

/** Fills `gc_condemned`: see the protocol in the migration `0010_gc.sql`. */
export async function markAndCondemn(collector: Collector, run: { cutoff: Date; dryRun: boolean }): Promise<void> {
  const { cutoff, dryRun } = run
  await collector.step((s) => createMarkTables(s, { dryRun }))
  // Young ones first: this notes which contents have refs, and what is written later refers to nothing that is not kept.
  await everyPart(collector, (part) => collector.step((s) => markYoung(s, part, cutoff)))
  await markFromRoots(collector, { again: false })
  await everyPart(collector, (part) => collector.step((s) => condemn(s, part, cutoff)))
  // Once more, for chains that grew meanwhile by nodes whose time is before the cutoff.
  await markFromRoots(collector, { again: true })
  for (let round = 1; (await collector.step(lowerRanks)) > 0; round++) {
    if (round === RANK_ROUNDS) return collector.step(levelRanks)
  }
}

async function markFromRoots(collector: Collector, { again }: { again: boolean }): Promise<void> {
  let after: string | null = ''
  while (after !== null) {
    const from: string = after
    after = await collector.step((s) => markThreads(s, from, THREADS_AT_ONCE))
  }
  await collector.step(markOtherRoots)
  while (await collector.step((s) => markBelow(s, { again })));
}

async function everyPart(collector: Collector, work: (part: Part) => Promise<void>): Promise<void> {
  for (const table of TABLES) {
    const pages = await collector.step((s) => pagesOf(s, table))
    for (let from = 0; from < pages; from += PAGES_AT_ONCE) {
      await work({ table, from, to: Math.min(from + PAGES_AT_ONCE, pages) })
    }
  }
}
