import { startThread } from '@/server/threads/start'
import type { BenchEnvironment } from './lib/environment'
import { ACTOR, registerBenchWorkflow } from './lib/environment'
import { followOverHttp } from './lib/follow'
import { atMost, type BenchResult, percentile } from './lib/report'

/** Threads that are watched, each with an even share of the subscribers; a step every 200 ms in each for 6 s. */
const THREADS = 10
const STEPS = 30
const EVERY_MS = 200
const SUBSCRIBERS = [1, 100, 1_000] as const

/**
 * From the time that a step's node carries (taken before it is appended, so the commit counts) until a subscriber has its
 * event over HTTP, in milliseconds.
 */
export async function benchWatch(environment: BenchEnvironment, { runs }: { runs: number }): Promise<BenchResult> {
  await registerBenchWorkflow(environment.db, 'paced')
  const api = await environment.startApi()
  const figures: Record<string, number> = {}
  const measured = new Map<number, number[]>()
  for (const subscribers of SUBSCRIBERS) {
    const delays: number[] = []
    for (let run = 0; run < runs; run++) delays.push(...(await watchOnce(environment, api, subscribers)))
    measured.set(subscribers, delays)
    for (const [name, share] of [
      ['p50', 0.5],
      ['p99', 0.99],
    ] as const)
      figures[`${subscribers.toLocaleString('en-US')} subscribers: ${name}, ms`] = percentile(delays, share)
  }
  const at100 = measured.get(100) ?? []
  return {
    name: 'watch',
    figures,
    targets: {
      'p50 with 100 subscribers': atMost(percentile(at100, 0.5), 20, 'ms'),
      'p99 with 100 subscribers': atMost(percentile(at100, 0.99), 100, 'ms'),
    },
  }
}

type Api = { url: string; headers: Record<string, string> }

/** Delays of every step event at every subscriber. All are connected before the first step, and must see every one. */
async function watchOnce(environment: BenchEnvironment, api: Api, subscribers: number): Promise<number[]> {
  const { db } = environment
  const input = { workflow: 'paced', prompt: 'bench', input: { steps: STEPS, everyMs: EVERY_MS } }
  const threads = Array.from({ length: Math.min(THREADS, subscribers) }, () => startThread(db, input, ACTOR))
  const ids = (await Promise.all(threads)).map(({ id }) => id)
  const delays: number[] = []
  const followers = Array.from({ length: subscribers }, (_, n) =>
    followOverHttp(api, ids[n % ids.length] ?? '', (at) => delays.push(Date.now() - at)),
  )
  await Promise.all(followers.map(({ connected }) => connected))
  const runner = await environment.startRunner()
  await Promise.all(followers.map(({ done }) => done))
  await runner.stop()
  const expected = subscribers * STEPS
  if (delays.length !== expected) throw new Error(`Subscribers saw ${delays.length} steps, not ${expected}.`)
  return delays
}
