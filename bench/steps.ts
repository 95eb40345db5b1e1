import { startThread } from '@/server/threads/start'
import type { BenchEnvironment } from './lib/environment'
import { ACTOR, registerBenchWorkflow, untilDone } from './lib/environment'
import { measureFloor } from './lib/floor'
import { atLeast, type BenchResult, median } from './lib/report'

const THREADS = 50
const STEPS = 200
const ALONE_STEPS = 1_000
/** Many short threads: what a start and an end cost shows here. */
const SHORT = { threads: 200, steps: 10 }

/** Steps a second with 50 threads at once, and of one thread alone, against what the server can do in the same run. */
export async function benchSteps(environment: BenchEnvironment, { runs }: { runs: number }): Promise<BenchResult> {
  const { db } = environment
  await registerBenchWorkflow(db, 'steps')
  await environment.startRunner()
  await batch(environment, THREADS, 40) // warm: plans, JIT, connections
  const measured = {
    many: [] as number[],
    short: [] as number[],
    alone: [] as number[],
    commits: [] as number[],
    floor: [] as number[],
  }
  for (let run = 0; run < runs; run++) {
    const floor = await measureFloor(db.url, 2)
    measured.commits.push(floor.commitsPerSecond)
    measured.floor.push(floor.batchedStepsPerSecond)
    measured.many.push(await batch(environment, THREADS, STEPS))
    measured.short.push(await batch(environment, SHORT.threads, SHORT.steps, 'from the first call'))
    measured.alone.push(await batch(environment, 1, ALONE_STEPS))
  }
  const ratio = (a: number[], b: number[]) => median(a.map((value, i) => value / (b[i] ?? Number.NaN)))
  return {
    name: 'steps',
    figures: {
      [`steps/s, ${THREADS} threads × ${STEPS}`]: median(measured.many),
      [`steps/s, ${SHORT.threads} threads × ${SHORT.steps}, starts and ends included`]: median(measured.short),
      'steps/s, one thread alone': median(measured.alone),
      'floor: steps/s, batched insert of the same rows': median(measured.floor),
      'floor: single commits/s': median(measured.commits),
    },
    targets: {
      '50 threads / batched floor': atLeast(ratio(measured.many, measured.floor), 0.5, '×'),
      'alone / single commits': atLeast(ratio(measured.alone, measured.commits), 0.8, '×'),
    },
  }
}

/** Runs threads to their end; steps a second from the first claim, or from the first call of start, to the last end. */
async function batch(
  { db }: BenchEnvironment,
  threads: number,
  steps: number,
  since: 'from the first claim' | 'from the first call' = 'from the first claim',
): Promise<number> {
  const began = new Date()
  const input = { workflow: 'steps', prompt: 'bench', input: { steps }, maxRounds: steps + 1 }
  await Promise.all(Array.from({ length: threads }, () => startThread(db, input, ACTOR)))
  await untilDone(db, 300)
  const [row] = await db.sql<{ claimed: Date; ended: Date; steps: number; completed: number }[]>`
    select min(started_at) as claimed, max(finished_at) as ended, sum(steps)::int as steps,
      count(*) filter (where status = 'completed')::int as completed
    from threads where created_at >= ${began}`
  if (row === undefined || row.completed !== threads || row.steps !== threads * steps)
    throw new Error(`Not every thread completed: ${JSON.stringify(row)}`)
  const from = since === 'from the first claim' ? row.claimed : began
  return (row.steps / (row.ended.getTime() - from.getTime())) * 1000
}
