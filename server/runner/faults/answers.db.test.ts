import { afterEach, expect, test } from 'vitest'
import { testDatabase } from '@/db/testing/test-database'
import { giveInput } from '@/server/threads/input'
import { begin, bundleOf, COUNTER, installBundle } from '../testing/bundles'
import { endRunners, startRunnerProcess } from '../testing/runner-process'
import { chainOf, factsOf, untilEnded } from '../testing/thread-facts'
import { until } from '../testing/until'
import { raceAnswers } from './answer-race'

const db = await testDatabase()
afterEach(endRunners)
await installBundle(db, 'counter', COUNTER)
const ASKS = bundleOf(`
  if (thread.steps.length === 0) {
    const got = await runtime.wait({ input: { type: 'string' }, prompt: 'Go on?' })
    yield await say(got.value)
  }
  return { returnCode: 0, summary: 'answered' }`)
await installBundle(db, 'asks', ASKS)
const ACTOR = { name: 'test', origin: 'api', role: 'owner' } as const
const NEVER_POLLS = { pollMs: 60_000 }

test('an answer given up to 5 ms before or after its wait is written reaches it, and wakes the thread without a poll', async () => {
  const race = await raceAnswers(db, { workflow: 'counter', rounds: 300, lanes: 4, random: Math.random })
  // Both orders were met.
  expect(race.atOnce).toBeGreaterThan(10)
  expect(race.woken).toBeGreaterThan(10)
  await db.sql`delete from threads`
}, 120_000)

test('a thread that waited while every process was stopped goes on at once when it is answered', async () => {
  const first = await startRunnerProcess(db.url, NEVER_POLLS)
  const ids = await Promise.all(Array.from({ length: 5 }, () => begin(db, 'asks')))
  await until(
    () => Promise.all(ids.map((id) => factsOf(db, id))),
    (all) => all.every((facts) => facts.status === 'waiting'),
  )
  first.signal('SIGTERM')
  await first.exited
  // One is answered while nobody is there, the others when somebody is again.
  const [alone = '', ...others] = ids
  await giveInput(db, { id: alone, value: 'while nobody was there' }, ACTOR)
  expect(await factsOf(db, alone)).toMatchObject({ status: 'queued' })
  await startRunnerProcess(db.url, NEVER_POLLS)
  await untilEnded(db, alone)
  for (const id of others) {
    expect(await factsOf(db, id)).toMatchObject({ status: 'waiting', runner: null })
    await giveInput(db, { id, value: `for ${id}` }, ACTOR)
    // Far below a poll.
    expect(await untilEnded(db, id, 20)).toMatchObject({ status: 'completed', crashes: 0, attempt: 2 })
    expect((await chainOf(db, id))[0]?.meta.n).toBe(`for ${id}`)
  }
}, 90_000)
