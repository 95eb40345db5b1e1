import { performance } from 'node:perf_hooks'
import { startThread } from '@/server/threads/start'
import type { BenchEnvironment } from './lib/environment'
import { ACTOR, registerBenchWorkflow, untilDone } from './lib/environment'
import { measureFloor } from './lib/floor'
import { atMost, type BenchResult, percentile } from './lib/report'

const WARM_STARTS = 200
const COLD_STARTS = 15

/** From the call of `startThread` to the first line of the first role, in milliseconds, with a warm and a cold worker. */
export async function benchStart(environment: BenchEnvironment): Promise<BenchResult> {
  const { db } = environment
  await registerBenchWorkflow(db, 'steps')
  await environment.startRunner()
  for (let i = 0; i < 400; i++) await latency(environment, 'steps') // warm: plans, JIT, connections
  const { commitsPerSecond } = await measureFloor(db.url, 2)
  const commitMs = 1000 / commitsPerSecond
  const warm: number[] = []
  for (let i = 0; i < WARM_STARTS; i++) warm.push(await latency(environment, 'steps'))
  const cold: number[] = []
  for (let i = 0; i < COLD_STARTS; i++) {
    await registerBenchWorkflow(db, 'steps', `cold ${i} ${Date.now()}`)
    cold.push(await latency(environment, 'steps'))
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  const [p50, p99, coldP50] = [percentile(warm, 0.5), percentile(warm, 0.99), percentile(cold, 0.5)]
  return {
    name: 'start',
    figures: {
      'single commit, ms': commitMs,
      'warm p50, ms': p50,
      'warm p99, ms': p99,
      'cold p50, ms': coldP50,
      'cold max, ms': Math.max(...cold),
    },
    targets: {
      'warm p50 in single commits': atMost(p50 / commitMs, 4, 'commits'),
      'warm p99 in single commits': atMost(p99 / commitMs, 10, 'commits'),
      'cold p50': atMost(coldP50, 250, 'ms'),
    },
  }
}

async function latency({ db }: BenchEnvironment, workflow: string): Promise<number> {
  const called = performance.timeOrigin + performance.now()
  const { id } = await startThread(db, { workflow, prompt: 'bench', input: { steps: 1 } }, ACTOR)
  await untilDone(db, 60, 10)
  const [row] = await db.sql<{ body: string }[]>`
    select s.body from threads t join state_nodes e on e.hash = t.head join state_nodes s on s.hash = e.parent where t.id = ${id}`
  const at: number = JSON.parse(row?.body ?? '{}').payload.meta.at
  return at - called
}
