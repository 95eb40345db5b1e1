import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '@/db/testing/test-database'
import { runBeside } from '../testing/beside'
import { bundleOf } from '../testing/bundles'
import { startLocalRunner } from '../testing/local-runner'
import { workersOf } from '../testing/processes'
import { until } from '../testing/until'

// Bundles that take without end, never end, or misuse the channel.
const db = await testDatabase()
let runner: Awaited<ReturnType<typeof startLocalRunner>>
beforeAll(async () => {
  runner = await startLocalRunner(db.url)
})
afterAll(async () => {
  await runner.stop()
  await until(
    () => workersOf(process.pid),
    (left) => left.length === 0,
  )
})

const RAW = `import fs from 'node:fs'
const raw = (text) => { for (let rest = Buffer.from(text); rest.length > 0; ) { try { rest = rest.subarray(fs.writeSync(3, rest)) } catch (error) { if (error.code !== 'EAGAIN') throw error } } }
const line = (message) => raw(JSON.stringify(message) + '\\n')`

describe('a bundle that never ends is ended at the bound roleSeconds, with 124', () => {
  test.each([
    ['waits for nothing', 'await new Promise(() => {})'],
    ['spins', 'for (;;);'],
    ['spins in microtasks', 'for (;;) await null'],
    [
      'ignores its abort',
      "await new Promise((resolve) => { setInterval(() => {}, 10); runtime.signal.addEventListener('abort', () => {}) })",
    ],
    [
      'does not let its abort through',
      'for (;;) { try { await new Promise((_, reject) => { setTimeout(reject, 100) }) } catch {} }',
    ],
  ])('%s', async (_, body) => {
    const facts = await runBeside(db, bundleOf(body))
    expect(facts).toMatchObject({ status: 'failed', return_code: 124 })
    expect(facts.summary).toContain('bound roleSeconds (2)')
  })
})

describe('a bundle that takes memory without end is given up after the bound crashes, with 255', () => {
  test.each([
    ['heap', 'const all = []; for (;;) all.push({ n: all.length, text: [all.length] })'],
    ['buffers', 'const all = []; for (;;) { all.push(Buffer.alloc(4e6, 1)); await new Promise(setImmediate) }'],
    ['log lines that are never sent', "for (;;) runtime.log('x'.repeat(1000))"],
  ])('%s', async (_, body) => {
    const facts = await runBeside(db, bundleOf(body), { limits: { roleSeconds: 20 } })
    expect(facts).toMatchObject({ status: 'failed', return_code: 255 })
    expect(facts.summary).toMatch(/bound crashes\): its worker was lost: .*(workerMegabytes|SIGABRT|SIGTRAP|code)/)
  })
})

describe('a flood is read slowly and ends at a bound; memory of the runner stays what it was', () => {
  test.each([
    [
      'log lines',
      "for (;;) { for (let i = 0; i < 1000; i++) runtime.log('x'.repeat(1000)); await new Promise(setImmediate) }",
    ],
    ['empty log lines', "for (;;) { for (let i = 0; i < 1000; i++) runtime.log(''); await new Promise(setImmediate) }"],
    [
      'puts',
      "for (let n = 0; ; n++) { await runtime.cas.put('x'.repeat(100000) + n); await new Promise(setImmediate) }",
    ],
    [
      'calls',
      "for (;;) { for (let i = 0; i < 1000; i++) runtime.cas.get('0123456789ABC').catch(() => {}); await new Promise(setImmediate) }",
    ],
    ['output', "for (;;) { process.stdout.write('x'.repeat(100000)); await new Promise(setImmediate) }"],
  ])('%s', async (_, body) => {
    const before = process.memoryUsage().rss
    const facts = await runBeside(db, bundleOf(body))
    expect(facts.status).toBe('failed')
    expect([124, 255]).toContain(facts.return_code)
    expect((process.memoryUsage().rss - before) / 2 ** 20).toBeLessThan(400)
  })

  test('the log of a thread is cut at the bound logBytes, also of lines without text', async () => {
    const body =
      "for (let i = 0; i < 2000; i++) runtime.log(''); await new Promise((r) => setTimeout(r, 300)); return { returnCode: 0, summary: '' }"
    const facts = await runBeside(db, bundleOf(body), { limits: { logBytes: 10_000 } })
    const [row] = await db.sql<{ lines: number; last: string }[]>`
      select count(*)::int as lines, max(text) as last from thread_logs where thread = ${facts.id}`
    expect(row?.lines).toBeLessThan(200)
    expect(row?.last).toContain('bound logBytes (10000)')
  })
})

describe('a bundle that writes to the channel itself', () => {
  test('forged messages for other runs change nothing, and too many of them end its worker', async () => {
    const forge = `for (let n = 0; n < 200; n++) line({ type: 'done', run: 'A'.repeat(22), completion: { returnCode: 0, summary: 'forged' } })
      await new Promise(() => {})`
    const facts = await runBeside(db, bundleOf(forge, RAW))
    expect(facts).toMatchObject({ status: 'failed', return_code: 255 })
    expect(facts.summary).toContain('messages that are not its own or break the schema')
    const [row] = await db.sql`select count(*)::int as n from threads where summary = 'forged'`
    expect(row?.n).toBe(0)
  })

  test('garbage bytes end its worker', async () => {
    const facts = await runBeside(
      db,
      bundleOf("for (let n = 0; n < 300; n++) raw('{\\x00\\xff garbage\\n'); await new Promise(() => {})", RAW),
    )
    expect(facts).toMatchObject({ status: 'failed', return_code: 255 })
    expect(facts.summary).toContain('messages that are not its own or break the schema')
  })

  test('a line of 200 MB ends its worker', async () => {
    const body = "const part = 'x'.repeat(1e6); for (let n = 0; n < 200; n++) raw(part); await new Promise(() => {})"
    const facts = await runBeside(db, bundleOf(body, RAW), { limits: { roleSeconds: 60, crashes: 1 }, seconds: 90 })
    expect(facts).toMatchObject({ status: 'failed', return_code: 255 })
    expect(facts.summary).toContain('it sent a message of more than')
  }, 100_000)

  test('meta of 100 MB ends its worker: no message is that long', async () => {
    const body = "yield { ...(await say(1)), meta: { text: 'x'.repeat(1e8) } }"
    const facts = await runBeside(db, bundleOf(body), {
      limits: { roleSeconds: 60, crashes: 1, workerMegabytes: 1_000 },
      seconds: 90,
    })
    expect(facts).toMatchObject({ status: 'failed', return_code: 255, steps: 0 })
    expect(facts.summary).toContain('it sent a message of more than 75497472 bytes')
  }, 100_000)

  test('meta 100,000 deep, past the shim, is a bad yield', async () => {
    const body = `const hash = await runtime.cas.put('x')
      raw('{"type":"append","run":"' + seenRun + '","contents":[],"output":{"role":"work","contentHash":"' + hash + '","refs":[],"childThread":null,"meta":' + '{"m":'.repeat(1e5) + '1' + '}'.repeat(1e5) + '}}\\n')
      await new Promise(() => {})`
    const top = `${RAW}
let seenRun
const stringify = JSON.stringify
const set = Map.prototype.set
Map.prototype.set = function (key, value) { if (typeof key === 'string' && key.length === 22) seenRun = key; return set.call(this, key, value) }`
    const facts = await runBeside(db, bundleOf(body, top))
    expect(facts).toMatchObject({ status: 'failed', return_code: 1, steps: 0 })
    expect(facts.summary).toMatch(/deep/)
  })
})
