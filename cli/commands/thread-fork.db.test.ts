import { afterAll, expect, test } from 'vitest'
import { testDatabase } from '@/db/testing/test-database'
import { createKey } from '@/server/access/keys'
import { serveApi } from '@/server/api/testing/http-server'
import { initHash } from '@/server/cas/hash'
import { begin, COUNTER, installBundle } from '@/server/runner/testing/bundles'
import { startLocalRunner } from '@/server/runner/testing/local-runner'
import { untilEnded } from '@/server/runner/testing/thread-facts'
import { createWatchHub } from '@/server/threads/watch'
import { EXIT_CODES } from '../exit-codes'
import { cairnHere } from '../testing/cairn-here'

await initHash()
const db = await testDatabase()
const hub = createWatchHub(db)
const api = await serveApi({ db, hub, embedded: false })
const { key } = await createKey(db, 'test')
const cairn = cairnHere({ url: api.url, key })
const said = "runtime.log('step ' + n, { level: n === 3 ? 'warn' : 'info', tag: 'count' })\n    yield"
const bundle = await installBundle(db, 'counter', COUNTER.replace('yield', said))
// A step can be injected only for a role that the workflow says it has.
const roles = JSON.stringify({
  description: 'counts',
  roles: { work: { description: 'counts', schema: {} } },
  graph: { edges: [] },
})
await db.sql`update bundles set descriptor = ${roles}::text::jsonb where hash = ${bundle}`
const { stop } = await startLocalRunner(db.url)
afterAll(async () => {
  await stop()
  await hub.close()
  await api.close()
})

/** A thread of 4 steps that has ended; each step logs a line. */
async function counted(): Promise<string> {
  const id = await begin(db, 'counter', { steps: 4, ms: 0 })
  await untilEnded(db, id)
  return id
}
test('a fork shares the steps below its place, goes on by itself, and compare says where it parts', async () => {
  const source = await counted()
  const { exitCode, out, notes } = await cairn('thread', 'fork', source, '--step', '2', '--wait', '--json')
  expect([exitCode, notes]).toEqual([EXIT_CODES.ok, expect.stringContaining(`It shares 2 steps with ${source}.`)])
  const forked = JSON.parse(out)
  expect(forked).toMatchObject({ sharedSteps: 2, status: 'completed', steps: 4 })

  const compared = await cairn('thread', 'compare', source, forked.id)
  expect(compared.exitCode).toBe(EXIT_CODES.failed)
  expect(compared.out).toMatch(/They share 2 steps, up to [0-9A-Z]{13}\./)
  expect(compared.out).toMatch(/ 3 +content /)
  expect((await cairn('thread', 'compare', source, source)).exitCode).toBe(EXIT_CODES.ok)
  expect((await cairn('thread', 'children', source, '--forks')).out).toContain(forked.id)
  expect((await cairn('thread', 'children', source)).out).toBe('It has no children.\n')
}, 60_000)

test('a step of one’s own stands as if its role had returned it, and a fork under another input says so in its history', async () => {
  const source = await counted()
  const injected = [
    '--inject',
    'work',
    '--content',
    'said by hand',
    '--meta',
    '{"n": 2}',
    '--input',
    '{"steps":3,"ms":0}',
  ]
  const { out, error } = await cairn('thread', 'fork', source, '--role', 'work:1', ...injected)
  expect(error).toBe('')
  const id = out.trim()
  await untilEnded(db, id)
  const shown = await cairn('thread', 'show', id, '--json')
  const steps = JSON.parse(shown.out).records.filter((record: { kind: string }) => record.kind === 'step')
  expect(steps.map((step: { content: string }) => step.content)).toEqual([
    expect.stringContaining('step 1'),
    'said by hand',
    expect.stringContaining('step 3'),
  ])
  expect((await cairn('thread', 'show', id)).out).toContain(`forked from ${source} at `)
}, 60_000)

test('a place that the thread does not have is refused, and nothing is started', async () => {
  const source = await counted()
  const { exitCode, out } = await cairn('thread', 'fork', source, '--step', '99')
  expect([exitCode, out]).toEqual([EXIT_CODES.usage, ''])
  const alone = await cairn('thread', 'fork', source, '--content', 'whose?')
  expect([alone.exitCode, alone.error]).toEqual([EXIT_CODES.usage, expect.stringContaining('--inject <role>')])
})

test('logs come in order, from a line on, and only those that are grave enough', async () => {
  const id = await counted()
  const all = await cairn('thread', 'logs', id, '--json')
  const lines = all.out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.map((line) => line.text)).toEqual(['step 1', 'step 2', 'step 3', 'step 4'])
  expect((await cairn('thread', 'logs', id, '--level', 'warn')).out).toMatch(/^\S+ {2}warn \[count\] step 3\n$/)
  const some = await cairn('thread', 'logs', id, '--after', String(lines[1]?.seq), '--limit', '1')
  expect(some.out).toMatch(/step 3\n$/)
})
