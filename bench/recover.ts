import { startThread } from '@/server/threads/start'
import { numberedSteps, untilSteps } from './lib/chains'
import type { BenchEnvironment } from './lib/environment'
import { ACTOR, registerBenchWorkflow, untilDone } from './lib/environment'
import { atMost, type BenchResult, median } from './lib/report'

const THREADS = 50
/** Long enough to be in the middle when the runner is killed: 6 s of work each. */
const STEPS = 60
const EVERY_MS = 100
/** The default of a runner. */
const LEASE_MS = 15_000

/**
 * A runner that holds 50 threads is killed with SIGKILL while another one stands by: until the last of them has a new step,
 * and whether any step is missing or there twice afterwards.
 */
export async function benchRecover(environment: BenchEnvironment, { runs }: { runs: number }): Promise<BenchResult> {
  await registerBenchWorkflow(environment.db, 'paced')
  const seconds: number[] = []
  let lost = 0
  let doubled = 0
  for (let run = 0; run < runs; run++) {
    const result = await recoverOnce(environment, run)
    seconds.push(result.seconds)
    lost += result.lost
    doubled += result.doubled
  }
  return {
    name: 'recover',
    figures: {
      'lease, s': LEASE_MS / 1000,
      'recovered after, s': median(seconds),
      'slowest run, s': Math.max(...seconds),
    },
    targets: {
      'last of 50 threads goes on': atMost(Math.max(...seconds), LEASE_MS / 1000 + 2, 's'),
      'steps lost': atMost(lost, 0, 'steps'),
      'steps doubled': atMost(doubled, 0, 'steps'),
    },
  }
}

async function recoverOnce(environment: BenchEnvironment, run: number) {
  const { db } = environment
  const first = await environment.startRunner()
  const ids = await Promise.all(
    Array.from({ length: THREADS }, async (_, n) => {
      const input = { workflow: 'paced', prompt: `run ${run}, thread ${n}`, input: { steps: STEPS, everyMs: EVERY_MS } }
      return (await startThread(db, input, ACTOR)).id
    }),
  )
  await untilSteps(db, { workflow: 'paced', steps: 5, count: THREADS * (run + 1) })
  const second = await environment.startRunner()
  const killedAt = Date.now()
  await first.kill()
  await untilDone(db, 120)
  await second.stop()

  let last = 0
  let lost = 0
  let doubled = 0
  for (const id of ids) {
    const steps = await numberedSteps(db, id)
    last = Math.max(last, steps.find(({ at }) => at > killedAt)?.at ?? Number.POSITIVE_INFINITY)
    const seen = new Set(steps.map(({ n }) => n))
    lost += STEPS - seen.size
    doubled += steps.length - seen.size + (await strayNodes(db, id))
  }
  return { seconds: (last - killedAt) / 1000, lost, doubled }
}

/** State nodes of a thread that are not in its chain: its start node is its own, because its prompt is. */
async function strayNodes(db: BenchEnvironment['db'], id: string): Promise<number> {
  const [row] = await db.sql<{ stray: number }[]>`
    select (count(*) - t.height)::int as stray from threads t join state_nodes s on s.start = t.start where t.id = ${id} group by t.height`
  return row?.stray ?? 0
}
