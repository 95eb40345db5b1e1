import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '@/db/testing/test-database'
import { launcher } from '@/server/sandbox/launcher'
import { runBeside } from '../testing/beside'
import { bundleOf } from '../testing/bundles'
import { startLocalRunner } from '../testing/local-runner'
import { isAlive } from '../testing/processes'

// Bundles that try to get out of their process.
const db = await testDatabase()
let runner: Awaited<ReturnType<typeof startLocalRunner>>
let layers: readonly string[]
beforeAll(async () => {
  runner = await startLocalRunner(db.url)
  layers = (await launcher()).layers
})
afterAll(() => runner.stop())

/** The attempt, and how it went, as the summary of a completed thread. */
const attempt = (expression: string, imports = '') =>
  bundleOf(
    `let result
     try { result = 'did it: ' + String(await (${expression})) } catch (error) { result = 'refused: ' + (error.code ?? error.message) }
     return { returnCode: 0, summary: result.slice(0, 500) }`,
    imports,
  )

describe('refused by the permission model of Node', () => {
  test.each([
    ['reads a file', "fs.readFileSync('/etc/passwd', 'utf8')", "import fs from 'node:fs'"],
    ['lists a folder', "fs.readdirSync('/')", "import fs from 'node:fs'"],
    ['reads its own environment from the system', "fs.readFileSync('/proc/self/environ')", "import fs from 'node:fs'"],
    ['reads the memory of its runner', "fs.openSync('/proc/1/mem')", "import fs from 'node:fs'"],
    ['writes a file', "fs.writeFileSync('/tmp/cairn-escape', 'x')", "import fs from 'node:fs'"],
    ['writes a report', "process.report.writeReport('/tmp/cairn-escape')", ''],
    ['writes a heap snapshot', "v8.writeHeapSnapshot('/tmp/cairn-escape')", "import v8 from 'node:v8'"],
    ['spawns', "child.execFileSync('/bin/true')", "import child from 'node:child_process'"],
    ['opens a worker thread', "new Worker('1', { eval: true })", "import { Worker } from 'node:worker_threads'"],
    ['loads an addon', "process.dlopen({ exports: {} }, '/tmp/x.node')", ''],
    ['uses an internal binding', "process.binding('spawn_sync')", ''],
    ['opens the inspector', 'inspector.open(0)', "import inspector from 'node:inspector'"],
    ['gets a built-in by the back door', "process.getBuiltinModule('node:trace_events')", ''],
  ])('a bundle that %s', async (_, expression, imports) => {
    const facts = await runBeside(db, attempt(expression, imports))
    expect(facts).toMatchObject({ status: 'completed', return_code: 0 })
    expect(facts.summary).toMatch(
      /^refused: ERR_(ACCESS_DENIED|DLOPEN_DISABLED|DLOPEN_FAILED|INSPECTOR_NOT_AVAILABLE)$/,
    )
    expect(existsSync('/tmp/cairn-escape')).toBe(false)
  })
})

test('a bundle that reads the environment finds nothing in it', async () => {
  const facts = await runBeside(db, attempt('JSON.stringify({ ...process.env })'))
  expect(facts.summary).toBe('did it: {}')
})

test('a bundle that imports what loads unchecked code does not load', async () => {
  const facts = await runBeside(db, attempt('1', "import { createRequire } from 'node:module'"))
  expect(facts).toMatchObject({ status: 'failed', return_code: 1 })
  expect(facts.summary).toContain('cannot import node:module')
})

describe('signals', () => {
  test('a bundle that kills its parent kills nobody', async () => {
    const facts = await runBeside(db, attempt("process.kill(process.ppid, 'SIGKILL')"))
    expect(facts.summary).toBe('refused: ERR_ACCESS_DENIED')
  })

  test('a bundle that opens the debugger of its parent opens none', async () => {
    const facts = await runBeside(db, attempt('process._debugProcess(process.ppid)'))
    expect(facts.summary).toBe('refused: ERR_ACCESS_DENIED')
  })

  test('where namespaces are there, the process does not even see its runner, and is a user without rights', async (context) => {
    if (!layers.includes('pid-namespace')) return context.skip()
    const seen = await runBeside(db, attempt('JSON.stringify([process.pid, process.ppid, process.getuid()])'))
    const [pid, ppid, uid] = JSON.parse(seen.summary?.replace('did it: ', '') ?? '[]')
    expect([pid, ppid]).toEqual([1, 0])
    if (layers.includes('own-user')) expect(uid).toBeGreaterThanOrEqual(61_184)
    expect(isAlive(process.pid)).toBe(true)
  })
})

test('where namespaces are there, no socket leads anywhere: not to this machine, not to Postgres', async (context) => {
  if (!layers.includes('network-namespace')) return context.skip()
  const { port } = new URL(db.url)
  const connect = `new Promise((resolve, reject) => net.connect(${port}, '127.0.0.1').on('connect', resolve).on('error', reject))`
  const facts = await runBeside(db, attempt(connect, "import net from 'node:net'"))
  expect(facts.summary).toBe('refused: ENETUNREACH')
})
