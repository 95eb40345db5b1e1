import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '@/db/testing/test-database'
import { verifyThread } from '@/server/cas/verify'
import { threadIdSchema } from '@/server/kernel/ids'
import { controlThread } from '@/server/threads/control/control'
import { retryThread } from '@/server/threads/control/retry'
import { forkThread } from '@/server/threads/fork'
import { begin, bundleOf, COUNTER, installBundle } from './testing/bundles'
import { startLocalRunner } from './testing/local-runner'
import { chainOf, factsOf, untilEnded } from './testing/thread-facts'
import { until } from './testing/until'

const db = await testDatabase()
const ACTOR = { name: 'ada', origin: 'api', role: 'owner' } as const
let local: Awaited<ReturnType<typeof startLocalRunner>>

beforeAll(async () => {
  await installBundle(db, 'counter', COUNTER)
  // Fails at its third step until a time that its input names.
  await installBundle(
    db,
    'stumbler',
    bundleOf(`for (let n = thread.steps.length + 1; n <= 5; n++) {
      if (n === 3 && Date.now() < thread.start.input.until) throw new Error('not yet')
      yield await say(n)
    }
    return { returnCode: 0, summary: 'done' }`),
  )
  local = await startLocalRunner(db.url)
})
afterAll(() => local.stop())

const rolesOf = async (id: string) => (await chainOf(db, id)).map((node) => node.role)
/** Nodes of both, each counted once. */
async function nodesOf(...ids: string[]): Promise<number> {
  const [row] = await db.sql<{ n: number }[]>`
    with recursive chain as (
      select s.hash, s.parent from threads t join state_nodes s on s.hash = t.head where t.id = any(${ids})
      union
      select s.hash, s.parent from chain c join state_nodes s on s.hash = c.parent
    ) select count(*)::int as n from chain`
  return row?.n ?? 0
}
const expectSound = async (id: string) =>
  expect((await verifyThread(db, threadIdSchema.parse(id))).findings).toEqual([])

test('a fork of a running thread shares its steps, runs none of them again, and both come to their own end', async () => {
  const id = await begin(db, 'counter', { steps: 40, ms: 10 })
  await until(
    () => factsOf(db, id),
    (facts) => facts.steps >= 5,
  )
  const fork = await forkThread(db, { id, at: { step: 3 } }, ACTOR)
  await Promise.all([untilEnded(db, id), untilEnded(db, fork.id)])
  const [source, forked] = [await chainOf(db, id), await chainOf(db, fork.id)]
  expect(source).toHaveLength(41)
  expect(forked.slice(0, 3)).toEqual(source.slice(0, 3))
  expect(await nodesOf(id, fork.id)).toBe(41 + 39)
  expect(await rolesOf(fork.id)).toEqual(['work', 'work', 'work', '__fork__', ...Array(37).fill('work'), '__end__'])
  expect(await factsOf(db, fork.id)).toMatchObject({ status: 'completed', steps: 40 })
  await expectSound(id)
  await expectSound(fork.id)
})

test('a fork with another input goes on with that', async () => {
  const id = await begin(db, 'counter', { steps: 4, ms: 1 })
  await untilEnded(db, id)
  const fork = await forkThread(db, { id, at: { step: 2 }, overrides: { input: { steps: 6, ms: 1 } } }, ACTOR)
  await untilEnded(db, fork.id)
  expect(await factsOf(db, fork.id)).toMatchObject({ status: 'completed', steps: 6 })
  await expectSound(fork.id)
})

test('a retry goes on after the end, with the steps that were there, and can be killed and tried again', async () => {
  const id = await begin(db, 'stumbler', { until: Date.now() + 3_600_000 })
  await untilEnded(db, id)
  expect(await rolesOf(id)).toEqual(['work', 'work', '__end__'])
  await retryThread(db, { id }, ACTOR)
  await untilEnded(db, id)
  expect(await rolesOf(id)).toEqual(['work', 'work', '__end__', '__retry__', '__end__'])
  const fork = await forkThread(db, { id, at: { step: 2 }, overrides: { input: { until: 0 } } }, ACTOR)
  await untilEnded(db, fork.id)
  expect(await factsOf(db, fork.id)).toMatchObject({ status: 'completed', steps: 5 })
  await expectSound(id)
  await expectSound(fork.id)
  await expect(controlThread(db, { id, command: 'kill' }, ACTOR)).rejects.toMatchObject({ code: 'CONFLICT' })
})
