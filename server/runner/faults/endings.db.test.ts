import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '@/db/testing/test-database'
import { begin, bundleOf, COUNTER, installBundle } from '../testing/bundles'
import { startLocalRunner } from '../testing/local-runner'
import { workersOf } from '../testing/processes'
import { expectEndNode, expectExactlyOnce, factsOf, type ThreadFacts, untilEnded } from '../testing/thread-facts'
import { until } from '../testing/until'

// Whatever the ending, its node is on top of the chain and says why. What a bundle yields or throws is in hostile-ends.
const db = await testDatabase()
let runner: Awaited<ReturnType<typeof startLocalRunner>>
beforeAll(async () => {
  runner = await startLocalRunner(db.url)
})
afterAll(() => runner.stop())

async function ended(id: string): Promise<ThreadFacts> {
  const facts = await untilEnded(db, id)
  await expectEndNode(db, id)
  return facts
}

const FOREVER = bundleOf('yield await say(1); await new Promise(() => {})')

test('a return', async () => {
  await installBundle(db, 'returns', bundleOf("return { returnCode: 0, summary: 'all good' }"))
  expect(await ended(await begin(db, 'returns'))).toMatchObject({ status: 'completed', summary: 'all good' })
})

test('a return of another code is a failure with that code', async () => {
  await installBundle(db, 'returns-7', bundleOf("return { returnCode: 7, summary: 'no' }"))
  expect(await ended(await begin(db, 'returns-7'))).toMatchObject({ status: 'failed', return_code: 7, summary: 'no' })
})

test('a throw after a step', async () => {
  await installBundle(db, 'throws', bundleOf("yield await say(1); throw new TypeError('then no')"))
  expect(await ended(await begin(db, 'throws'))).toMatchObject({
    status: 'failed',
    return_code: 1,
    steps: 1,
    summary: 'TypeError: then no',
  })
})

test('the deadline of the caller', async () => {
  await installBundle(db, 'late', FOREVER)
  const facts = await ended(await begin(db, 'late', {}, { deadlineSeconds: 1 }))
  expect(facts).toMatchObject({ status: 'failed', return_code: 124, steps: 1, summary: 'its deadline passed' })
})

test('the bound threadSeconds', async () => {
  await installBundle(db, 'long', FOREVER, { limits: { threadSeconds: 1 } })
  const facts = await ended(await begin(db, 'long'))
  expect(facts).toMatchObject({ status: 'failed', return_code: 124, steps: 1 })
  expect(facts.summary).toContain('bound threadSeconds (1)')
})

test('a content above contentBytes', async () => {
  await installBundle(db, 'fat', bundleOf("yield await say(1, 'x'.repeat(2000))"), { limits: { contentBytes: 1_000 } })
  const facts = await ended(await begin(db, 'fat'))
  expect(facts).toMatchObject({ status: 'failed', return_code: 1, steps: 0 })
  expect(facts.summary).toContain('bound contentBytes allows (1000)')
})

test('bundle bytes that were changed in the database are not run', async () => {
  const hash = await installBundle(db, 'changed', bundleOf("return { returnCode: 0, summary: 'before' }"))
  await db.sql`update bundles set source = replace(source, 'before', 'after!') where hash = ${hash}`
  const id = await begin(db, 'changed')
  expect(await untilEnded(db, id)).toMatchObject({ status: 'failed', return_code: 1 })
  expect((await factsOf(db, id)).summary).toContain(hash)
})

test('a thread whose worker dies again and again without a step is given up; the count is of crashes in a row', async () => {
  const body = `
    for (let n = thread.steps.length + 1; n <= 3; n++) {
      if (n === 3) process.exit(9)
      yield await say(n)
    }`
  await installBundle(db, 'dies', bundleOf(body), { limits: { crashes: 3 } })
  const facts = await ended(await begin(db, 'dies'))
  expect(facts).toMatchObject({ status: 'failed', return_code: 255, steps: 2, attempt: 3 })
  expect(facts.summary).toContain('gave up after 3 crashes in a row')
})

test('grants that cannot be read stop no other thread', async () => {
  await installBundle(db, 'odd', bundleOf("return { returnCode: 0, summary: '' }"))
  await db.sql`update workflows set grants = '{"exec": 5}' where name = 'odd'`
  await installBundle(db, 'beside', COUNTER)
  const [odd, beside] = [await begin(db, 'odd'), await begin(db, 'beside', { steps: 2, ms: 0 })]
  await ended(beside)
  expect(await ended(odd)).toMatchObject({ status: 'completed' })
})

test('many threads of one bundle that lose their worker at once share the next one', async () => {
  // One that ignores its end takes the worker with it: the others are released and come back together.
  await installBundle(
    db,
    'stuck',
    COUNTER.replace('counted', 'shared').replace(
      'for (let n',
      'if (thread.start.input.stuck) await new Promise(() => {})\n  for (let n',
    ),
    {
      limits: { roleSeconds: 1, abortGraceSeconds: 1 },
    },
  )
  const stuck = await begin(db, 'stuck', { stuck: true })
  const others = await Promise.all(Array.from({ length: 10 }, () => begin(db, 'stuck', { steps: 40, ms: 100 })))
  expect(await ended(stuck)).toMatchObject({ return_code: 124 })
  await Promise.all(others.map((id) => untilEnded(db, id, 60)))
  for (const id of others) {
    await expectExactlyOnce(db, id, 40)
    expect(await factsOf(db, id)).toMatchObject({ crashes: 0, attempt: 2 })
  }
  await runner.stop()
  await until(
    () => workersOf(process.pid),
    (left) => left.length === 0,
  )
  runner = await startLocalRunner(db.url)
}, 90_000)
