import { startThread } from '@/server/threads/start'
import type { BenchEnvironment, BenchProcess } from './lib/environment'
import { ACTOR, registerBenchWorkflow, untilDone } from './lib/environment'
import { processorSeconds } from './lib/processor-time'
import { atLeast, type BenchResult, median } from './lib/report'

/** Roles that take their time, as those that ask a model do: what a runner holds at once is the limit. */
const PACED = { threads: 200, steps: 20, everyMs: 100, capacity: 50 }
/** Roles that take none: processors are the limit. */
const BUSY = { threads: 50, steps: 200 }

type Load = { perSecond: number /** Processors in use, on average. */; postgres: number; runners: number }

/** Two runners against one on one Postgres, and what each takes of the machine. */
export async function benchScale(environment: BenchEnvironment, { runs }: { runs: number }): Promise<BenchResult> {
  const { db } = environment
  await registerBenchWorkflow(db, 'paced')
  await registerBenchWorkflow(db, 'steps')
  const measured: Record<'paced' | 'busy', Load[]>[] = []
  const runners: BenchProcess[] = []
  for (const count of [1, 2]) {
    while (runners.length < count)
      runners.push(await environment.startRunner({ CAIRN_CAPACITY: String(PACED.capacity) }))
    await busy(environment, runners) // warm: plans, JIT, connections
    const loads: Record<'paced' | 'busy', Load[]> = { paced: [], busy: [] }
    for (let run = 0; run < runs; run++) {
      loads.paced.push(await paced(environment, runners))
      loads.busy.push(await busy(environment, runners))
    }
    measured.push(loads)
  }
  await Promise.all(runners.map((runner) => runner.stop()))
  const of = (at: number, what: 'paced' | 'busy', key: keyof Load) =>
    median((measured[at]?.[what] ?? []).map((load) => load[key]))
  const figures: Record<string, number> = {}
  for (const what of ['paced', 'busy'] as const) {
    const roles = what === 'paced' ? `roles of ${PACED.everyMs} ms` : 'no-op roles'
    for (const [at, count] of [
      [0, 'one runner'],
      [1, 'two runners'],
    ] as const) {
      figures[`${roles}, ${count}: steps/s`] = of(at, what, 'perSecond')
      figures[`${roles}, ${count}: processors used by Postgres`] = of(at, what, 'postgres')
      figures[`${roles}, ${count}: processors used by runners, workers`] = of(at, what, 'runners')
    }
    figures[`${roles}: two runners / one`] = of(1, what, 'perSecond') / of(0, what, 'perSecond')
  }
  return {
    name: 'scale',
    figures,
    targets: {
      'two runners / one, while processors are free': atLeast(
        of(1, 'paced', 'perSecond') / of(0, 'paced', 'perSecond'),
        1.7,
        '×',
      ),
    },
  }
}

const paced = (environment: BenchEnvironment, runners: BenchProcess[]) =>
  load(environment, runners, 'paced', PACED.threads, PACED.steps, { everyMs: PACED.everyMs })
const busy = (environment: BenchEnvironment, runners: BenchProcess[]) =>
  load(environment, runners, 'steps', BUSY.threads, BUSY.steps, {})

/** Runs threads to their end: steps a second from the first claim to the last end, and processors used meanwhile. */
async function load(
  { db, postgresPid }: BenchEnvironment,
  runners: BenchProcess[],
  workflow: string,
  threads: number,
  steps: number,
  input: Record<string, number>,
): Promise<Load> {
  const pids = runners.map((runner) => runner.pid)
  const used = () => ({
    postgres: postgresPid === null ? Number.NaN : processorSeconds(postgresPid),
    runners: pids.reduce((sum, pid) => sum + processorSeconds(pid), 0),
  })
  const began = new Date()
  const before = used()
  const start = { workflow, prompt: 'bench', input: { ...input, steps }, maxRounds: steps + 1 }
  await Promise.all(Array.from({ length: threads }, () => startThread(db, start, ACTOR)))
  await untilDone(db, 300)
  const after = used()
  const seconds = (Date.now() - began.getTime()) / 1000
  const [row] = await db.sql<{ claimed: Date; ended: Date; steps: number }[]>`
    select min(started_at) as claimed, max(finished_at) as ended, sum(steps)::int as steps
    from threads where created_at >= ${began} and status = 'completed'`
  if (row?.steps !== threads * steps) throw new Error(`Not every thread completed: ${JSON.stringify(row)}`)
  return {
    perSecond: (row.steps / (row.ended.getTime() - row.claimed.getTime())) * 1000,
    postgres: (after.postgres - before.postgres) / seconds,
    runners: (after.runners - before.runners) / seconds,
  }
}
