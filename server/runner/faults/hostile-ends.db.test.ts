import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '@/db/testing/test-database'
import { runBeside } from '../testing/beside'
import { bundleOf } from '../testing/bundles'
import { startLocalRunner } from '../testing/local-runner'
import { chainOf } from '../testing/thread-facts'

// Bundles that end badly, or say what no bundle may say.
const db = await testDatabase()
let runner: Awaited<ReturnType<typeof startLocalRunner>>
beforeAll(async () => {
  runner = await startLocalRunner(db.url)
})
afterAll(() => runner.stop())

describe('what is thrown ends the thread with 1 and is named', () => {
  test.each([
    ['an error', "throw new Error('no luck')", 'Error: no luck'],
    ['undefined', 'throw undefined', 'NonError: a value that is no Error was thrown: undefined'],
    ['a string', "throw 'words'", 'NonError: a value that is no Error was thrown: words'],
    [
      'an object whose toString throws',
      'throw { toString() { throw 1 }, toJSON() { throw 2 } }',
      'NonError: a value was thrown that cannot be described',
    ],
    [
      'a proxy that throws at every touch',
      'throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 }, ownKeys() { throw 3 } })',
      'NonError: a value was thrown that cannot be described',
    ],
    [
      'an error with a hostile message',
      "throw Object.defineProperty(new Error(), 'message', { get() { throw 1 } })",
      'NonError: a value was thrown that cannot be described',
    ],
  ])('%s', async (_, body, summary) => {
    const facts = await runBeside(db, bundleOf(body))
    expect(facts).toMatchObject({ status: 'failed', return_code: 1, steps: 0, summary })
  })
})

describe('a bad yield ends the thread with 1 and says what is wrong', () => {
  const good = "contentHash: await runtime.cas.put('x'), refs: [], childThread: null"
  test.each([
    ['undefined', 'yield undefined', /^bad yield: /],
    ['a number', 'yield 7', /^bad yield: /],
    ['a BigInt', `yield { role: 'work', meta: { n: 1n }, ${good} }`, /n is a bigint, which JSON cannot hold/],
    ['NaN in meta', `yield { role: 'work', meta: { n: NaN }, ${good} }`, /n is NaN, which JSON cannot hold/],
    ['a cycle', `const meta = {}; meta.meta = meta; yield { role: 'work', meta, ${good} }`, /circular structure/],
    [
      'a role of other characters',
      `yield { role: 'Wörk/../x', meta: {}, ${good} }`,
      /^bad yield: role: must be lower-case words/,
    ],
    [
      'the role of the end',
      `yield { role: '__end__', meta: { returnCode: 0, summary: '' }, ${good} }`,
      /^bad yield: role: /,
    ],
    [
      'a content hash that does not exist',
      "yield { role: 'work', meta: {}, contentHash: '0123456789ABC', refs: [], childThread: null }",
      /names the content 0123456789ABC, which does not exist/,
    ],
    [
      'a content hash that is none',
      "yield { role: 'work', meta: {}, contentHash: '../../etc', refs: [], childThread: null }",
      /^bad yield: contentHash: must be a hash/,
    ],
    [
      'refs that differ from those of the content',
      `const h = await runtime.cas.put('x'); yield { role: 'work', meta: {}, contentHash: h, refs: [h], childThread: null }`,
      /gives other refs than its content/,
    ],
    [
      'refs that do not exist',
      `const h = await runtime.cas.put('x', ['0123456789ABC']); yield { role: 'work', meta: {}, contentHash: h, refs: ['0123456789ABC'], childThread: null }`,
      /0123456789ABC, which is not stored/,
    ],
    [
      'refs that are no hashes',
      `const h = await runtime.cas.put('x', ['../..']); yield { role: 'work', meta: {}, contentHash: h, refs: [], childThread: null }`,
      /^bad cas.put: a ref /,
    ],
    [
      'a child thread that does not exist',
      `yield { role: 'work', meta: {}, contentHash: await runtime.cas.put('x'), refs: [], childThread: '0123456789ABC' }`,
      /the child thread 0123456789ABC of work does not exist/,
    ],
    [
      'meta of 20 MB',
      `yield { role: 'work', meta: { text: 'x'.repeat(2e7) }, ${good} }`,
      /is more than the bound contentBytes allows|metaBytes/,
    ],
    [
      'meta that is 10,000 deep',
      `let meta = {}; for (let i = 0; i < 10000; i++) meta = { meta }; yield { role: 'work', meta, ${good} }`,
      /call stack|deep/,
    ],
  ])('%s', { timeout: 120_000 }, async (_, body, summary) => {
    const facts = await runBeside(db, bundleOf(body), {
      limits: { workerMegabytes: 1_000, roleSeconds: 60 },
      seconds: 90,
    })
    expect(facts).toMatchObject({ status: 'failed', return_code: 1, steps: 0 })
    expect(facts.summary).toMatch(summary)
  })

  test('meta with a key __proto__ is recorded as it is, or refused: never changed in silence', async () => {
    const body = `yield { role: 'work', meta: JSON.parse('{"__proto__":{"x":1},"n":1}'), ${good} }; return { returnCode: 0, summary: '' }`
    const facts = await runBeside(db, bundleOf(body))
    if (facts.status === 'failed') return expect(facts.summary).toContain('__proto__')
    const [step] = await chainOf(db, facts.id)
    expect(JSON.stringify(step?.meta)).toBe('{"__proto__":{"x":1},"n":1}')
  })
})

describe('a bad completion ends the thread with 1 and says what is wrong', () => {
  test.each([
    ['nothing', 'return', /returned no completion/],
    ['garbage', "return 'done'", /returned no completion/],
    ['a huge return code', "return { returnCode: 1e9, summary: '' }", /returned no completion .*returnCode/],
    ['a return code of the platform', "return { returnCode: 137, summary: '' }", /returned no completion .*returnCode/],
    ['a summary of 10 MB', "return { returnCode: 0, summary: 'x'.repeat(1e7) }", /returned no completion .*summary/],
  ])('%s', async (_, body, summary) => {
    const facts = await runBeside(db, bundleOf(body), { limits: { roleSeconds: 20 } })
    expect(facts).toMatchObject({ status: 'failed', return_code: 1 })
    expect(facts.summary).toMatch(summary)
  })
})

describe('a bundle that ends its process is given up after the bound crashes, with 255', () => {
  test.each([
    ['process.exit', 'process.exit(0)', /bound crashes\): its worker was lost: it exited with code 0/],
    ['process.abort', 'process.abort()', /bound crashes\): its worker was lost: it /],
    [
      'a rejection that nobody handles',
      "Promise.reject(new Error('nobody')); await new Promise((r) => setTimeout(r, 5000))",
      /its worker was lost: it exited with code 1/,
    ],
    [
      'an exception in a timer',
      'setTimeout(() => { throw 1 }); await new Promise((r) => setTimeout(r, 5000))',
      /its worker was lost: it exited with code/,
    ],
  ])('%s', async (_, body, summary) => {
    const facts = await runBeside(db, bundleOf(body))
    expect(facts).toMatchObject({ status: 'failed', return_code: 255 })
    expect(facts.summary).toMatch(summary)
  })

  test('also while it loads', async () => {
    const facts = await runBeside(db, `process.exit(3)\n${bundleOf('return')}`)
    expect(facts).toMatchObject({ status: 'failed', return_code: 255 })
    expect(facts.summary).toContain('it exited with code 3')
  })
})

test('a bundle that throws while it loads ends with 1', async () => {
  const facts = await runBeside(db, `throw new Error('not today')\n${bundleOf('return')}`)
  expect(facts).toMatchObject({ status: 'failed', return_code: 1 })
  expect(facts.summary).toContain('does not load: Error: not today')
})

test('a generator without end stops at the bound maxRounds', async () => {
  const facts = await runBeside(db, bundleOf('for (let n = 1; ; n++) yield await say(n)'), { maxRounds: 30 })
  expect(facts).toMatchObject({ status: 'failed', return_code: 1, steps: 30 })
  expect(facts.summary).toContain('bound maxRounds (30)')
})
