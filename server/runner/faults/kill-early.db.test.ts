import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '@/db/testing/test-database'
import { onTestPoint } from '@/server/kernel/test-point'
import { controlThread } from '@/server/threads/control/control'
import { begin, COUNTER, installBundle } from '../testing/bundles'
import { startLocalRunner } from '../testing/local-runner'
import { expectEndNode, factsOf, untilEnded } from '../testing/thread-facts'
import { until } from '../testing/until'

const db = await testDatabase()
let stop: () => Promise<void>
beforeAll(async () => {
  await installBundle(db, 'counter', COUNTER)
  stop = (await startLocalRunner(db.url)).stop
})
afterAll(() => stop())

const KILL = { command: 'kill', reason: 'not this one' } as const
const ACTOR = { name: 'test' }

test('a kill that reaches the runner before it has loaded the history ends the thread as any other kill does', async () => {
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let reached = false
  const forget = onTestPoint('run:before-load', () => {
    reached = true
    return held
  })
  const early = await begin(db, 'counter', { steps: 3, ms: 0 })
  await until(
    () => reached,
    (seen) => seen,
  )
  forget()
  const running = await begin(db, 'counter', { steps: 1_000, ms: 20 })
  await until(
    () => factsOf(db, running),
    (facts) => facts.height > 0,
  )
  expect(await controlThread(db, { id: early, ...KILL }, ACTOR)).toMatchObject({ effect: 'requested' })
  await controlThread(db, { id: running, ...KILL }, ACTOR)
  // A runner does its orders together: when the second is done, it has seen the first.
  await untilEnded(db, running)
  release()
  expect(await untilEnded(db, early)).toMatchObject({ status: 'killed', return_code: 137, crashes: 0, attempt: 1 })
  await expectEndNode(db, early)
  const events = await db.sql<{ type: string }[]>`select type from thread_events where thread = ${early} order by seq`
  expect(events.map(({ type }) => type)).toEqual(['queued', 'claimed', 'kill_requested', 'killed'])
})
