import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '@/db/client'
import { collectGarbage } from '@/server/cas/gc/collect'
import { startThread } from '@/server/threads/start'
import { ACTOR, type BenchEnvironment, registerBenchWorkflow } from './lib/environment'
import { atMost, type BenchResult, median } from './lib/report'

/** A step is two objects: a state node and a content of 1 KB. */
const THREADS = 500
const STEPS = 1_000
/** Of the threads, those that nobody has any more. */
const REMOVED = 100
const LOAD_THREADS = 50
/** Steps of a thread of the load: more than there is time for. */
const LOAD_STEPS = 90_000
const LOAD_SECONDS = 15
const DAY_MS = 86_400_000

/**
 * A collection of a million objects, a fifth of them garbage, beside 50 threads that append as fast as they can; and what that
 * costs these. `BENCH_GC_SCALE` (1) makes it smaller.
 */
export async function benchGc(environment: BenchEnvironment, { runs }: { runs: number }): Promise<BenchResult> {
  const { db } = environment
  const scale = Number(process.env.BENCH_GC_SCALE ?? 1)
  const threads = Math.round(THREADS * scale)
  const removed = Math.round(REMOVED * scale)
  await registerBenchWorkflow(db, 'steps')
  await environment.startRunner()
  const input = { workflow: 'steps', prompt: 'bench', input: { steps: LOAD_STEPS }, maxRounds: LOAD_STEPS + 1 }
  await Promise.all(Array.from({ length: LOAD_THREADS }, () => startThread(db, input, ACTOR)))
  const measured = { seconds: [] as number[], alone: [] as number[], beside: [] as number[], slowdown: [] as number[] }
  let objects = 0
  for (let run = 0; run < runs; run++) {
    await seed(db, run, threads, removed)
    const [count] = await db.sql<{ n: number }[]>`
      select ((select count(*) from state_nodes) + (select count(*) from blobs))::int as n`
    objects = count?.n ?? 0
    const before = await stepsPerSecond(db, () => pause(LOAD_SECONDS * 1_000))
    const began = performance.now()
    const beside = await stepsPerSecond(db, async () => {
      const { objects: deleted } = await collectGarbage(db, {}, ACTOR)
      // Of each removed thread: its steps, their contents, its start node and prompt.
      const wanted = removed * (2 * STEPS + 2)
      if (deleted !== wanted) throw new Error(`${deleted} objects were deleted, not ${wanted}.`)
    })
    measured.seconds.push((performance.now() - began) / 1_000)
    const after = await stepsPerSecond(db, () => pause(LOAD_SECONDS * 1_000))
    measured.alone.push((before + after) / 2)
    measured.beside.push(beside)
    measured.slowdown.push(100 * (1 - beside / ((before + after) / 2)))
  }
  return {
    name: 'gc',
    figures: {
      'objects, those of the load included': objects,
      'objects deleted by one collection': removed * (2 * STEPS + 2),
      'steps/s of the load, alone': median(measured.alone),
      'steps/s of the load, beside a collection': median(measured.beside),
    },
    targets: {
      'a collection': atMost(median(measured.seconds), 90, 's'),
      'appends slower by': atMost(median(measured.slowdown), 20, '%'),
    },
  }
}

/** Steps of all threads a second, while `work` goes on. */
async function stepsPerSecond(db: Database, work: () => Promise<void>): Promise<number> {
  const from = await stepsNow(db)
  await work()
  const to = await stepsNow(db)
  return ((to.steps - from.steps) / (to.at - from.at)) * 1_000
}

async function stepsNow(db: Database): Promise<{ steps: number; at: number }> {
  const [row] = await db.sql<
    { steps: number }[]
  >`select coalesce(sum(steps), 0)::int as steps from threads where status = 'running'`
  return { steps: row?.steps ?? 0, at: performance.now() }
}

/**
 * Finished threads of two days ago, by SQL: addresses are made up, everything else is as the engine writes it. The last `removed`
 * of them have no row.
 */
async function seed(db: Database, run: number, threads: number, removed: number): Promise<void> {
  const [clock] = await db.sql<{ now: number }[]>`select app_now_ms() as now`
  const old = (clock?.now ?? 0) - 2 * DAY_MS
  for (let thread = 0; thread < threads; thread++) {
    const name = `${run}.${thread}`
    await db.sql`
      with step as (
        select n, ${sqlHash(db, name, 's')} as hash, ${sqlHash(db, name, 'c')} as content from generate_series(1, ${STEPS}::int) n
      ), contents as (
        insert into blobs (hash, type, body, digest, size, created_at, touched_at)
        select content, 'content', repeat(md5(content), 32), ''::bytea, 1024, to_timestamp((${old}::bigint + n) / 1000.0), to_timestamp((${old}::bigint + n) / 1000.0)
        from step
      )
      insert into state_nodes (hash, body, refs, digest, role, start, content, parent, height, timestamp)
      select hash, repeat(md5(hash), 12),
        array[${`S${name}`}, content] || array(
          select ${sqlHash(db, name, 's', 'at')} from (select n - (1 << back) as at from generate_series(0, 10) back) a where at >= 1 order by at desc),
        ''::bytea, 'work', ${`S${name}`}, content, case when n > 1 then ${sqlHash(db, name, 's', 'n - 1')} end, n, ${old}::bigint + n
      from step`
    await db.sql`
      insert into blobs (hash, type, body, digest, size, created_at, touched_at)
      values (${`P${name}`}, 'content', 'prompt', ''::bytea, 6, to_timestamp(${old}::bigint / 1000.0), to_timestamp(${old}::bigint / 1000.0))`
    await db.sql`
      insert into start_nodes (hash, body, refs, digest, name, bundle, depth, prompt, created_at, touched_at)
      values (${`S${name}`}, 'start', array[${`P${name}`}], ''::bytea, 'steps', 'B', 0, ${`P${name}`},
        to_timestamp(${old}::bigint / 1000.0), to_timestamp(${old}::bigint / 1000.0))`
    if (thread >= threads - removed) continue
    await db.sql`
      insert into threads (id, workflow, bundle, status, start, head, height, steps, actor, origin, excerpt, return_code)
      select ${`bench ${name}`}, 'steps', 'B', 'completed', ${`S${name}`}, ${sqlHash(db, name, 's', 'n')}, n, n, 'bench', 'api', '', 0
      from (select ${STEPS}::int as n) one`
  }
  await db.sql`analyze blobs, state_nodes, start_nodes, threads`
}

function sqlHash(db: Database, name: string, kind: string, n = 'n') {
  return db.sql`upper(substr(md5(${`${kind}.${name}.`} || (${db.sql.unsafe(n)})::text), 1, 13))`
}
