import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '@/db/testing/test-database'
import { controlThread } from '@/server/threads/control/control'
import { begin, bundleOf, COUNTER, installBundle } from './testing/bundles'
import { startLocalRunner } from './testing/local-runner'
import { chainOf, expectEndNode, expectExactlyOnce, factsOf, untilEnded } from './testing/thread-facts'
import { until } from './testing/until'

const db = await testDatabase()
const ACTOR = { name: 'ada', origin: 'api', role: 'owner' } as const
let local: Awaited<ReturnType<typeof startLocalRunner>>

beforeAll(async () => {
  await installBundle(db, 'counter', COUNTER)
  await installBundle(
    db,
    'deaf',
    bundleOf(`for (let n = 1; ; n++) { yield await say(n); for (;;) await new Promise((r) => setTimeout(r, 5)) }`),
    { limits: { abortGraceSeconds: 1 } },
  )
  local = await startLocalRunner(db.url)
})
afterAll(() => local.stop())

const statusOf = async (id: string) => (await factsOf(db, id)).status
const untilSteps = (id: string, steps: number) =>
  until(
    () => factsOf(db, id),
    (facts) => facts.steps >= steps,
  )

test('a pause takes effect at the next step, holds nothing, and a resume goes on where it stopped', async () => {
  const id = await begin(db, 'counter', { steps: 30, ms: 20 })
  await untilSteps(id, 3)
  expect(await controlThread(db, { id, command: 'pause', reason: 'look', waitMs: 5_000 }, ACTOR)).toMatchObject({
    effect: 'done',
    status: 'paused',
  })
  await until(
    async () => local.runner.active,
    (active) => active === 0,
  )
  const { steps } = await factsOf(db, id)
  expect(steps).toBeLessThan(30)
  await controlThread(db, { id, command: 'resume' }, ACTOR)
  await untilEnded(db, id)
  await expectExactlyOnce(db, id, 30)
})

test('a kill aborts a role that ignores it within the grace, and its sibling on the same worker goes on without blame', async () => {
  const [id, sibling] = [await begin(db, 'deaf'), await begin(db, 'deaf')]
  await untilSteps(id, 1)
  await untilSteps(sibling, 1)
  const asked = await controlThread(db, { id, command: 'kill', reason: 'enough', waitMs: 10_000 }, ACTOR)
  expect(asked).toMatchObject({ effect: 'done', status: 'killed' })
  await expectEndNode(db, id)
  expect((await chainOf(db, id)).at(-1)?.meta).toEqual({ returnCode: 137, summary: 'Killed by ada: enough' })
  await until(
    () =>
      db.sql<
        { n: number }[]
      >`select count(*)::int as n from thread_events where thread = ${sibling} and type = 'claimed'`,
    ([row]) => row?.n === 2,
  )
  expect(await factsOf(db, sibling)).toMatchObject({ crashes: 0 })
  await controlThread(db, { id: sibling, command: 'kill', waitMs: 10_000 }, ACTOR)
  expect(await statusOf(sibling)).toBe('killed')
})
