import { beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { testDatabase } from '@/db/testing/test-database'
import { type ListFilter, listStatement } from './read-list'

const db = await testDatabase()

const THREADS = 60_000

beforeAll(async () => {
  await db.sql`
    insert into threads (id, workflow, bundle, status, start, head, actor, origin, excerpt, tags)
    select lpad(g::text, 26, '0'), 'workflow-' || (g % 30), 'b',
      case when g = 77 then 'running' else (array['completed', 'completed', 'completed', 'failed', 'killed'])[1 + g % 5] end,
      's', 'h', 'actor-' || (g % 20), 'api', 'look into ' || md5(g::text), array['tag-' || (g % 500)]
    from generate_series(1, ${THREADS}) g`
  await db.sql`analyze threads`
}, 60_000)

type Plan = {
  'Node Type': string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number | undefined
  Plans?: Plan[] | undefined
}
const planSchema: z.ZodType<Plan> = z.lazy(() =>
  z.object({
    'Node Type': z.string(),
    'Actual Rows': z.number(),
    'Actual Loops': z.number(),
    'Rows Removed by Filter': z.number().optional(),
    Plans: z.array(planSchema).optional(),
  }),
)

async function planOf(filter: Omit<ListFilter, 'limit'>): Promise<Plan[]> {
  const { sql, params } = listStatement(db, { ...filter, limit: 51 }).toSQL()
  // Drizzle gives what it would send: strings, numbers and arrays of them.
  const rows = await db.sql.unsafe(`explain (analyze, format json) ${sql}`, params as string[])
  const [root] = z.array(z.object({ Plan: planSchema })).parse(rows[0]?.['QUERY PLAN'])
  const all = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(all)]
  return root === undefined ? [] : all(root.Plan)
}

const middle = String(THREADS / 2).padStart(26, '0')

it.each<[string, Omit<ListFilter, 'limit'>]>([
  ['no filter', {}],
  ['a page in the middle', { before: middle }],
  ['a workflow', { workflow: 'workflow-7' }],
  ['a workflow, in the middle', { workflow: 'workflow-7', before: middle }],
  ['a workflow that does not exist', { workflow: 'none' }],
  ['a status', { status: ['failed'] }],
  ['a status that few threads have', { status: ['running'] }],
  ['a status that no thread has', { status: ['paused'] }],
  ['several statuses', { status: ['running', 'queued', 'failed'] }],
  ['a workflow and a status that it never has', { workflow: 'workflow-5', status: ['killed'] }],
  ['an actor', { actor: 'actor-3' }],
  ['an actor that does not exist', { actor: 'nobody' }],
  ['a tag', { tag: 'tag-77' }],
  ['a tag that no thread has', { tag: 'none' }],
  ['a text that few threads have', { text: '0123' }],
  ['a text that no thread has', { text: 'xyzzy' }],
  ['a text that all threads have', { text: 'look into' }],
  ['a text with characters that mean something to a pattern', { text: '100%_\\' }],
])('the list by %s reads a bounded number of rows, by index', async (_, filter) => {
  const plan = await planOf(filter)
  expect(plan.map((node) => node['Node Type'])).not.toContain('Seq Scan')
  const read = plan.map((node) => ((node['Rows Removed by Filter'] ?? 0) + node['Actual Rows']) * node['Actual Loops'])
  expect(Math.max(...read)).toBeLessThan(2_500)
})
