import { tmpdir } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { type Database, openDatabase } from '@/db/client'
import { liftBundle, listQuarantines } from '@/server/ops/quarantines'
import { addWorkflow } from '@/server/registry/add'
import { limitWorkflow } from '@/server/registry/limit'
import { endRunners } from '@/server/runner/testing/runner-process'
import type { WorkflowLimits } from '@/server/threads/limits'
import { BUNDLE } from './bundle'
import { Fleet, type FleetCounts } from './fleet'
import { judge, type Verdict } from './judge/judge'
import { type Ledger, newLedger } from './ledger'
import { OPERATOR, Operator } from './operator'
import { randomFrom } from './random'
import { makePlan, NARROW, type Workflow } from './script'
import { Trouble } from './trouble'
import { startWitness } from './witness'

export type ChaosOptions = {
  seed: number
  minutes: number
  /** Started by the operator; children and forks come on top. */
  threads: number
  runners: number
  say(line: string): void
}
export type ChaosReport = Verdict & {
  seed: number
  ok: boolean
  fleet: FleetCounts
  backendsTerminated: number
  commands: Ledger['counts']
  staleWrites: number
  quarantines: number
  /** From when trouble stopped until every thread had ended. */
  settleSeconds: number
}

/** After everything was repaired, threads are stuck when for this long none of them came a step further. */
const STUCK_SECONDS = 120
const PROGRESS_MS = 10_000

/** Breaks things for some minutes while threads run, repairs them, lets all threads end, and judges what is there. */
export async function runChaos(db: Database, options: ChaosOptions): Promise<ChaosReport> {
  const { seed, say } = options
  const ledger = newLedger()
  const witness = await startWitness(db)
  await installBundles(db)
  const commands = openDatabase(db.url, { purpose: 'web' })
  const fleet = new Fleet(db.url, randomFrom(seed + 1))
  const operator = new Operator(commands, randomFrom(seed + 2), ledger, witness.port)
  const trouble = new Trouble(db, fleet, randomFrom(seed + 3))
  const durationMs = options.minutes * 60_000
  let began = performance.now()
  const elapsed = () => performance.now() - began
  const pace = randomFrom(seed + 4)
  let over = false
  let quarantines = 0

  /** Does `work` again and again until it is over; never twice at once. */
  const repeat = async (work: () => Promise<unknown>, low: number, high: number, until: () => boolean) => {
    while (!until()) {
      await work()
      await pause(pace.between(low, high))
    }
  }
  /** What an operator does who has seen why a bundle crashed: here, because its workers were killed. */
  const liftAll = async () => {
    for (const { bundle } of await listQuarantines(db)) {
      await liftBundle(db, { bundle, note: 'its workers were killed' }, OPERATOR)
      quarantines += 1
    }
  }
  try {
    await fleet.start(options.runners)
    began = performance.now()
    const plan = makePlan(randomFrom(seed), options.threads)
    const starts = plan.map(async (planned, n) => {
      await pause(planned.at * durationMs)
      await operator.start(planned, `thread ${n} of seed ${seed}`)
    })
    const calm = () => elapsed() > durationMs
    const ended = () => over
    const whole = [
      repeat(() => operator.answer(0.15), 50, 200, ended),
      repeat(() => operator.retryFlaky(), 300, 600, ended),
      repeat(() => watchBounds(db, ledger), 100, 200, ended),
      repeat(async () => say(await progressOf(db, elapsed())), PROGRESS_MS, PROGRESS_MS, ended),
      repeat(liftAll, 500, 1_000, ended),
    ]
    const disturbed = [repeat(() => operator.meddle(), 30, 200, calm), repeat(() => trouble.strike(), 300, 1_800, calm)]
    await Promise.all([...starts, ...disturbed])
    await fleet.settle()
    say('everything is repaired; now every thread is to end')
    const settling = performance.now()
    const stuck = await settle(db, operator)
    over = true
    await Promise.all(whole)
    ledger.problems.push(...stuck)
    const settleSeconds = Math.round((performance.now() - settling) / 100) / 10
    const [stale] = await db.sql<{ n: number }[]>`select coalesce(sum(stale_writes), 0)::int as n from runners`
    await fleet.stop()
    const verdict = await judge(db, witness, ledger)
    return {
      ...verdict,
      seed,
      ok: verdict.problems.length === 0,
      fleet: fleet.counts,
      backendsTerminated: trouble.backendsTerminated,
      commands: ledger.counts,
      staleWrites: stale?.n ?? 0,
      quarantines,
      settleSeconds,
    }
  } finally {
    over = true
    await endRunners()
    await commands.close()
    await witness.close()
  }
}

async function installBundles(db: Database): Promise<void> {
  // Runners and workers are lost all the time: giving up is not what is looked at here.
  const limits = { crashes: 100, queueDepth: 1_000_000 }
  const bounds: Record<Workflow, WorkflowLimits> = {
    chaos: limits,
    'chaos-narrow': { ...limits, concurrency: NARROW },
    'chaos-drop': { ...limits, queueDepth: 2, concurrency: 2, overflow: 'drop' },
  }
  const grants = { exec: [{ command: 'bash', folders: [tmpdir()] }] }
  for (const [name, set] of Object.entries(bounds)) {
    await addWorkflow(db, { name, fileName: `${name}.esm.js`, source: BUNDLE, grants }, OPERATOR)
    await limitWorkflow(db, { name, limits: set }, OPERATOR)
  }
}

async function settle(db: Database, operator: Operator): Promise<string[]> {
  let steps = -1
  let deadline = 0
  for (;;) {
    await operator.resumeAll()
    await operator.answer(1)
    const left = await db.sql<{ id: string; status: string }[]>`
      select id, status from threads where status in ('queued', 'running', 'paused', 'waiting')
        or (status = 'failed' and summary like '%fails the first time%')`
    if (left.length === 0) return []
    // Claims alone are no progress: leases that run out again and again would look like some.
    const [now] = await db.sql<{ steps: number }[]>`select sum(height)::int as steps from threads`
    if (now?.steps !== steps) deadline = performance.now() + STUCK_SECONDS * 1000
    if (performance.now() > deadline)
      return left.map(
        ({ id, status }) => `Thread ${id} is ${status}, and no thread came further for ${STUCK_SECONDS} s.`,
      )
    steps = now?.steps ?? steps
    await pause(200)
  }
}

/** At no moment more threads of the bounded workflow run than its bound allows. */
async function watchBounds(db: Database, ledger: Ledger): Promise<void> {
  const [row] = await db.sql<{ n: number }[]>`
    select count(*)::int as n from threads where workflow = 'chaos-narrow' and status = 'running'`
  if (row !== undefined && row.n > NARROW) ledger.problems.push(`${row.n} threads of chaos-narrow ran at once.`)
}

async function progressOf(db: Database, elapsedMs: number): Promise<string> {
  const rows = await db.sql<{ status: string; n: number }[]>`
    select status, count(*)::int as n from threads group by status order by status`
  return `${Math.round(elapsedMs / 1000)} s: ${rows.map(({ status, n }) => `${n} ${status}`).join(', ')}`
}
