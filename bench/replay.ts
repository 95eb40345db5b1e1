import { performance } from 'node:perf_hooks'
import { giveInput } from '@/server/threads/input'
import { startThread } from '@/server/threads/start'
import type { BenchEnvironment } from './lib/environment'
import { ACTOR, registerBenchWorkflow, untilDone } from './lib/environment'
import { atMost, type BenchResult, median } from './lib/report'

const LENGTHS = [100, 10_000] as const
const RESUMES = 10

/**
 * A thread that waits is woken by an input: from the call that gives it to the first line of the role that then runs, on a
 * warm runner and worker. All its steps are read, checked and given to the generator in between.
 */
export async function benchReplay(environment: BenchEnvironment, { runs }: { runs: number }): Promise<BenchResult> {
  const { db } = environment
  await registerBenchWorkflow(db, 'asking')
  await environment.startRunner()
  const measured = new Map<number, number[]>()
  for (const length of LENGTHS) {
    const input = { steps: length + 2 + RESUMES * runs, free: length }
    const { id } = await startThread(db, { workflow: 'asking', prompt: 'bench', input, maxRounds: 100_000 }, ACTOR)
    await untilDone(db, 300)
    const times: number[] = []
    // The first two warm the plan and the code.
    for (let n = 0; n < 2 + RESUMES * runs; n++) times.push(await resume(environment, id))
    measured.set(length, times.slice(2))
  }
  const [short, long] = LENGTHS.map((length) => measured.get(length) ?? [])
  return {
    name: 'replay',
    figures: {
      'resume of 100 steps, ms': median(short ?? []),
      'resume of 10,000 steps, ms': median(long ?? []),
      'slowest resume of 10,000 steps, ms': Math.max(...(long ?? [])),
    },
    targets: { 'resume of 10,000 steps to the next role': atMost(median(long ?? []), 500, 'ms') },
  }
}

/** Answers the thread's open wait, and waits until it asks again (or is over). Milliseconds to the role's first line. */
async function resume({ db }: BenchEnvironment, id: string): Promise<number> {
  const called = performance.timeOrigin + performance.now()
  await giveInput(db, { id, value: null }, ACTOR)
  await untilDone(db, 60, 5)
  const [row] = await db.sql<{ body: string }[]>`
    with recursive top as (
      select s.hash, s.parent, s.role, s.body from threads t join state_nodes s on s.hash = t.head where t.id = ${id}
      union all
      select s.hash, s.parent, s.role, s.body from top join state_nodes s on s.hash = top.parent where top.role <> 'work'
    ) select body from top where role = 'work'`
  return Number(JSON.parse(row?.body ?? '{}').payload.meta.at) - called
}
