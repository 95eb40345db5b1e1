import type { Database } from '@/db/client'
import { verifyThread } from '@/server/cas/verify'
import { threadIdSchema } from '@/server/kernel/ids'
import { checkInvariants } from '@/server/ops/invariants/check-invariants'
import type { Ledger } from '../ledger'
import type { Witness } from '../witness'
import { judgeOutcomes } from './outcomes'
import { readThreads } from './read-threads'
import { judgeWitness, type WitnessCount } from './witness'

export type Verdict = {
  threads: Record<string, number>
  children: number
  forks: number
  steps: number
  /** How often what happened to threads. */
  events: Record<string, number>
  witness: WitnessCount
  problems: string[]
}

/** Holds all that a finished run left against what it should be. */
export async function judge(db: Database, witness: Witness, ledger: Ledger): Promise<Verdict> {
  const threads = await readThreads(db)
  const all = [...threads.values()]
  const { count, problems } = judgeWitness(threads, await witness.told())
  const statuses: Record<string, number> = {}
  const events: Record<string, number> = {}
  for (const thread of all) {
    statuses[thread.status] = (statuses[thread.status] ?? 0) + 1
    for (const [type, n] of thread.events) events[type] = (events[type] ?? 0) + n
  }
  return {
    threads: statuses,
    events,
    children: all.filter((thread) => thread.parentThread !== null).length,
    forks: all.filter((thread) => thread.sourceThread !== null).length,
    steps: new Set(all.flatMap((thread) => thread.nodes.map((node) => node.hash))).size,
    witness: count,
    problems: [
      ...ledger.problems,
      ...judgeOutcomes(threads, ledger),
      ...problems,
      ...(await leftOver(db)),
      ...(await rejectedInputs(db)),
      ...(await brokenInvariants(db)),
      ...(await unverified(db, [...threads.keys()])),
    ],
  }
}

/** What nothing is to be left of when no thread is under way. */
async function leftOver(db: Database): Promise<string[]> {
  const rows = await db.sql<{ what: string; n: number }[]>`
    select 'open waits' as what, count(*)::int as n from waits where status = 'open'
    union all select 'tasks', count(*)::int from thread_tasks
    union all select 'leases', count(*)::int from threads where runner is not null or lease_expires_at is not null`
  return rows.filter((row) => row.n > 0).map((row) => `${row.n} ${row.what} are left.`)
}

/** All that was given fits what was asked. */
async function rejectedInputs(db: Database): Promise<string[]> {
  const rows = await db.sql<{ thread: string; value: unknown; rejected: string }[]>`
    select thread, value, rejected from thread_inputs where rejected is not null`
  return rows.map(({ thread, value, rejected }) => `Input ${value} of thread ${thread} was rejected: ${rejected}`)
}

async function brokenInvariants(db: Database): Promise<string[]> {
  const report = await checkInvariants(db, { deep: true })
  return report.items.flatMap((item) =>
    item.violations.map((violation) => `Invariant ${item.name}: ${violation.id}: ${violation.message}`),
  )
}

async function unverified(db: Database, ids: string[]): Promise<string[]> {
  const problems: string[] = []
  for (const id of ids) {
    const { findings } = await verifyThread(db, threadIdSchema.parse(id))
    problems.push(...findings.map((finding) => `Verify of thread ${id}: ${finding.message}`))
  }
  return problems
}
