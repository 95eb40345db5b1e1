import { performance } from 'node:perf_hooks'
import { forkThread } from '@/server/threads/fork'
import { startThread } from '@/server/threads/start'
import type { BenchEnvironment } from './lib/environment'
import { ACTOR, registerBenchWorkflow, untilDone } from './lib/environment'
import { measureFloor } from './lib/floor'
import { atMost, type BenchResult, median, percentile } from './lib/report'

const LENGTHS = [100, 10_000] as const
const FORKS = 100
/** Forks of a thread of 1,000 steps that each go on for a tenth of them. */
const SHARING = { steps: 1_000, more: 100, forks: 100 }

/** What a fork costs by the length of its source, and what forks cost in bytes beside the steps that they add. */
export async function benchFork(environment: BenchEnvironment, { runs }: { runs: number }): Promise<BenchResult> {
  const { db } = environment
  await registerBenchWorkflow(db, 'steps')
  const runner = await environment.startRunner()
  const sources: string[] = []
  for (const length of LENGTHS) sources.push(await run(environment, length))
  const sharing = await run(environment, SHARING.steps + SHARING.more)
  await runner.stop()

  for (const source of sources) await forks(environment, source, 20) // warm: plans, connections
  const { commitsPerSecond } = await measureFloor(db.url, 2)
  const measured = LENGTHS.map(() => ({ times: [] as number[], commits: [] as number[] }))
  // One after the other, so that neither length has the better moments.
  for (let round = 0; round < runs; round++) {
    for (const [at, source] of sources.entries()) {
      const { times, commits } = await forks(environment, source, FORKS)
      measured[at]?.times.push(...times)
      measured[at]?.commits.push(commits)
    }
  }
  await db.sql`update threads set status = 'dropped' where status = 'queued'`
  const [short, long] = measured
  const [shortMs, longMs] = [median(short?.times ?? []), median(long?.times ?? [])]
  const commits = Math.max(...(long?.commits ?? []))
  const bytes = await sharedBytes(environment, sharing)
  return {
    name: 'fork',
    figures: {
      'single commit, ms': 1000 / commitsPerSecond,
      'fork of 100 steps p50, ms': shortMs,
      'fork of 10,000 steps p50, ms': longMs,
      'fork of 10,000 steps p99, ms': percentile(long?.times ?? [], 0.99),
      'bytes of 100 forks with 100 new steps each': bytes.all,
      'bytes of the new steps alone': bytes.steps,
    },
    targets: {
      'transactions that write, a fork of 10,000 steps': atMost(commits, 3, 'commits'),
      '10,000 steps / 100 steps': atMost(longMs / shortMs, 1.5, '×'),
      'bytes beside the new steps': atMost((bytes.all / bytes.steps - 1) * 100, 15, '%'),
    },
  }
}

async function run({ db }: BenchEnvironment, steps: number): Promise<string> {
  const { id } = await startThread(
    db,
    { workflow: 'steps', prompt: 'bench', input: { steps }, maxRounds: steps + 1 },
    ACTOR,
  )
  await untilDone(db, 600)
  return id
}

/** Forks in the middle, where the way down to the place is longest. `commits`: transactions that wrote something, a fork. */
async function forks({ db }: BenchEnvironment, source: string, count: number) {
  const [row] = await db.sql<{ steps: number }[]>`select steps from threads where id = ${source}`
  const step = Math.floor((row?.steps ?? 0) / 2) + 1
  const before = await nextTransaction(db)
  const times: number[] = []
  for (let n = 0; n < count; n++) {
    const began = performance.now()
    await forkThread(db, { id: source, at: { step } }, ACTOR)
    times.push(performance.now() - began)
  }
  return { times, commits: ((await nextTransaction(db)) - before) / count }
}

/** Only transactions that write get a number. */
async function nextTransaction(db: BenchEnvironment['db']): Promise<number> {
  const [row] = await db.sql<{ next: number }[]>`select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as next`
  return row?.next ?? Number.NaN
}

/** Bytes of rows that 100 forks leave when they have run to their end, and those of the steps among them. */
async function sharedBytes(environment: BenchEnvironment, source: string): Promise<{ all: number; steps: number }> {
  const { db } = environment
  const before = await bytesStored(db)
  for (let n = 0; n < SHARING.forks; n++) await forkThread(db, { id: source, at: { step: SHARING.steps } }, ACTOR)
  const runner = await environment.startRunner()
  await untilDone(db, 600)
  await runner.stop()
  const [row] = await db.sql<{ done: number }[]>`
    select count(*)::int as done from threads
    where source_thread = ${source} and status = 'completed' and steps = ${SHARING.steps + SHARING.more}`
  if (row?.done !== SHARING.forks) throw new Error(`Only ${row?.done} forks came to their end.`)
  const after = await bytesStored(db)
  return { all: after.all - before.all, steps: after.steps - before.steps }
}

async function bytesStored({ sql }: BenchEnvironment['db']): Promise<{ all: number; steps: number }> {
  const [row] = await sql<{ all: number; steps: number }[]>`
    select
      (select sum(pg_column_size(s.*)) from state_nodes s) + (select sum(pg_column_size(b.*)) from blobs b)
        + (select sum(pg_column_size(n.*)) from start_nodes n) + (select sum(pg_column_size(t.*)) from threads t)
        + (select sum(pg_column_size(e.*)) from thread_events e) as all,
      (select sum(pg_column_size(s.*) + pg_column_size(b.*)) from state_nodes s join blobs b on b.hash = s.content
        where s.role = 'work') as steps`
  return { all: Number(row?.all), steps: Number(row?.steps) }
}
