import { performance } from 'node:perf_hooks'
import { startThread } from '@/server/threads/start'
import type { BenchEnvironment } from './lib/environment'
import { ACTOR, registerBenchWorkflow, untilDone } from './lib/environment'
import { atMost, type BenchResult, percentile } from './lib/report'

const THREADS = 1_000_000
/** Inserted in one statement. */
const SEED_BATCH = 100_000
const LONG = 10_000
const CALLS = 60
/** First calls of each kind, which are not counted: they fill caches of plans, pages and code. */
const WARM_CALLS = 5
const PAGE = 50

type Query = { name: string; procedure: string; input: Record<string, unknown> }

/** Pages of the list of threads by every filter, and of a long thread's records, over HTTP; milliseconds of a whole request. */
export async function benchRead(environment: BenchEnvironment, { runs }: { runs: number }): Promise<BenchResult> {
  const { db } = environment
  await registerBenchWorkflow(db, 'steps')
  const runner = await environment.startRunner()
  const long = { workflow: 'steps', prompt: 'bench', input: { steps: LONG }, maxRounds: LONG + 1 }
  const { id } = await startThread(db, long, ACTOR)
  await untilDone(db, 600)
  await runner.stop()
  await seedThreads(environment)
  const api = await environment.startApi()
  const figures: Record<string, number> = {}
  const worst = { list: 0, records: 0 }
  for (const [kind, queries] of [
    ['list', LISTS],
    ['records', recordsOf(id)],
  ] as const) {
    for (const query of queries) {
      const times: number[] = []
      for (let call = 0; call < WARM_CALLS + CALLS * runs; call++) times.push(await timeOf(api, query))
      const p95 = percentile(times.slice(WARM_CALLS), 0.95)
      figures[`${kind}, ${query.name}: p95, ms`] = p95
      worst[kind] = Math.max(worst[kind], p95)
    }
  }
  return {
    name: 'read',
    figures,
    targets: {
      'list of 1,000,000 threads, slowest filter: p95': atMost(worst.list, 25, 'ms'),
      'page of a 10,000-step thread, slowest: p95': atMost(worst.records, 25, 'ms'),
    },
  }
}

/** Finished threads of 100 workflows, 50 people and 1,000 tags, and a few that are not. */
async function seedThreads({ db }: BenchEnvironment): Promise<void> {
  for (let from = 1; from <= THREADS; from += SEED_BATCH) {
    await db.sql`
      insert into threads (id, workflow, bundle, status, start, head, actor, origin, excerpt, tags, created_at, finished_at, return_code, summary)
      select lpad(g::text, 26, '0'), 'workflow-' || (g % 100), '0123456789ABC',
        case when g % 50000 = 77 then 'waiting' else (array['completed', 'completed', 'completed', 'failed', 'killed'])[1 + g % 5] end,
        '0123456789ABC', '0123456789ABC', 'person-' || (g % 50), 'api', 'look into ' || md5(g::text) || ' and tell',
        array['all', 'tag-' || (g % 1000)], now(), now(), 0, 'done'
      from generate_series(${from}::int, ${from + SEED_BATCH - 1}::int) g`
  }
  await db.sql`vacuum analyze threads`
}

const list = (name: string, input: Query['input']): Query => ({
  name,
  procedure: 'thread.list',
  input: { limit: PAGE, ...input },
})
const MIDDLE = String(THREADS / 2).padStart(26, '0')
const LISTS: readonly Query[] = [
  list('no filter', {}),
  list('no filter, in the middle', { cursor: MIDDLE }),
  list('a workflow', { workflow: 'workflow-7' }),
  list('a workflow, in the middle', { workflow: 'workflow-7', cursor: MIDDLE }),
  list('a status of most', { status: ['completed'] }),
  list('a status of few', { status: ['waiting'] }),
  list('a status of none', { status: ['paused'] }),
  list('three statuses', { status: ['waiting', 'failed', 'running'] }),
  list('a person', { actor: 'person-7' }),
  list('a tag of few', { tag: 'tag-7' }),
  list('a tag of all', { tag: 'all' }),
  list('a tag of none', { tag: 'none' }),
  list('a text of few', { text: '0a1b2' }),
  list('a text of all', { text: 'look into' }),
  list('a text of none', { text: 'xyzzy' }),
  // Shorter than the three letters that the index of excerpts is made of.
  list('a text of two letters, of none', { text: 'zq' }),
  list('a workflow and a status', { workflow: 'workflow-3', status: ['failed'] }),
  list('a workflow and a status that it never has', { workflow: 'workflow-5', status: ['failed'] }),
  list('a workflow and a person that never meet', { workflow: 'workflow-7', actor: 'person-8' }),
  list('a workflow and a tag', { workflow: 'workflow-7', tag: 'tag-107' }),
  list('a workflow and a tag that never meet', { workflow: 'workflow-7', tag: 'tag-8' }),
  list('a person and a status', { actor: 'person-7', status: ['killed'] }),
  list('a person and a text of few', { actor: 'person-7', text: '0a1b2' }),
  list('a person and a text of all', { actor: 'person-7', text: 'look into' }),
  list('a status of few and a text of all', { status: ['waiting'], text: 'look into' }),
  list('all filters', {
    workflow: 'workflow-7',
    status: ['failed', 'completed'],
    actor: 'person-7',
    tag: 'all',
    text: 'look',
  }),
]

function recordsOf(id: string): Query[] {
  const page = (name: string, height: number): Query => ({
    name,
    procedure: 'thread.records',
    input: { id, limit: PAGE, ...(height === 0 ? {} : { after: `${height}.1.0` }) },
  })
  return [page('first page', 0), page('in the middle', LONG / 2), page('last page', LONG - PAGE)]
}

async function timeOf(api: { url: string; headers: Record<string, string> }, query: Query): Promise<number> {
  const input = encodeURIComponent(JSON.stringify(query.input))
  const began = performance.now()
  const answer = await fetch(`${api.url}/api/trpc/${query.procedure}?input=${input}`, { headers: api.headers })
  const text = await answer.text()
  const took = performance.now() - began
  if (!answer.ok) throw new Error(`${query.procedure} answered ${answer.status}: ${text.slice(0, 500)}`)
  return took
}
