import { expect } from 'vitest'
import type { Database } from '@/db/client'
import { verifyThread } from '@/server/cas/verify'
import { threadIdSchema } from '@/server/kernel/ids'
import { until } from './until'

export type ThreadFacts = {
  status: string
  height: number
  steps: number
  crashes: number
  attempt: number
  runner: string | null
  return_code: number | null
  summary: string | null
}

export async function factsOf(db: Database, id: string): Promise<ThreadFacts> {
  const [row] = await db.sql<ThreadFacts[]>`
    select status, height, steps, crashes, attempt, runner, return_code, summary from threads where id = ${id}`
  if (row === undefined) throw new Error(`There is no thread ${id}`)
  return row
}

export function untilEnded(db: Database, id: string, seconds = 30): Promise<ThreadFacts> {
  return until(
    () => factsOf(db, id),
    (facts) => ['completed', 'failed', 'killed'].includes(facts.status),
    { seconds },
  )
}

type Link = { height: number; role: string; meta: Record<string, unknown> }

/** The chain from the first node after the start to the head. */
export async function chainOf(db: Database, id: string): Promise<Link[]> {
  const rows = await db.sql<{ height: number; role: string; body: string }[]>`
    with recursive chain as (
      select s.hash, s.parent, s.height, s.role, s.body from threads t join state_nodes s on s.hash = t.head where t.id = ${id}
      union all
      select s.hash, s.parent, s.height, s.role, s.body from chain c join state_nodes s on s.hash = c.parent
    ) select height, role, body from chain order by height`
  return rows.map(({ height, role, body }) => ({ height, role, meta: JSON.parse(body).payload.meta }))
}

/** A completed counter: every step once, in order, then the end node; and verify finds nothing. */
export async function expectExactlyOnce(db: Database, id: string, steps: number): Promise<void> {
  expect(await factsOf(db, id)).toMatchObject({ status: 'completed', steps, height: steps + 1, return_code: 0 })
  const chain = await chainOf(db, id)
  const numbers = Array.from({ length: steps }, (_, index) => index + 1)
  expect(chain.map((link) => link.height)).toEqual([...numbers, steps + 1])
  expect(chain.slice(0, -1).map((link) => link.meta.n)).toEqual(numbers)
  expect(chain.at(-1)?.role).toBe('__end__')
  await expectVerified(db, id)
}

/** Whatever its result: an end node on top that says what the row says, and verify finds nothing. */
export async function expectEndNode(db: Database, id: string): Promise<void> {
  const facts = await factsOf(db, id)
  const end = (await chainOf(db, id)).at(-1)
  expect(end).toMatchObject({ role: '__end__', height: facts.height, meta: { returnCode: facts.return_code } })
  await expectVerified(db, id)
}

async function expectVerified(db: Database, id: string): Promise<void> {
  const report = await verifyThread(db, threadIdSchema.parse(id))
  expect(report.findings).toEqual([])
  expect(report.ok).toBe(true)
}
