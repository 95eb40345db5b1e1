import { afterAll, expect, test } from 'vitest'
import { testDatabase } from '@/db/testing/test-database'
import { createKey } from '@/server/access/keys'
import { serveApi } from '@/server/api/testing/http-server'
import { COUNTER, installBundle } from '@/server/runner/testing/bundles'
import { scriptedThread } from '@/server/threads/testing/scripted-thread'
import { createWatchHub } from '@/server/threads/watch'
import { EXIT_CODES } from '../exit-codes'
import { cairnHere } from '../testing/cairn-here'

const db = await testDatabase()
const hub = createWatchHub(db)
const api = await serveApi({ db, hub, embedded: false })
const { key } = await createKey(db, 'test')
const cairn = cairnHere({ url: api.url, key })
afterAll(async () => {
  await hub.close()
  await api.close()
})

test('workflow limits shows what is set, changes it by name, and refuses what is no limit before it asks the server', async () => {
  const hash = await installBundle(db, 'bounded', COUNTER)
  await db.sql`update bundles set descriptor = '{"description": "", "roles": {}, "graph": {"edges": []}}' where hash = ${hash}`
  expect((await cairn('workflow', 'limits', 'bounded')).out).toBe('none set; every limit has its default\n')
  const set = await cairn(
    'workflow',
    'limits',
    'bounded',
    '--set',
    'concurrency=2',
    '--set',
    'labels=gpu',
    '--note',
    'slow tool',
  )
  expect(set).toMatchObject({ exitCode: EXIT_CODES.ok, out: expect.stringMatching(/^concurrency=2 .*\nlabels=gpu\n$/) })
  const unset = await cairn('workflow', 'limits', 'bounded', '--unset', 'labels', '--json')
  expect(JSON.parse(unset.out)).toMatchObject({ name: 'bounded', limits: { concurrency: 2 } })
  expect((await cairn('workflow', 'show', 'bounded')).out).toMatch(/Limits\n {2}concurrency=2/)
  expect((await cairn('workflow', 'limits', 'bounded', '--set', 'concurrency=0')).exitCode).toBe(EXIT_CODES.usage)
  expect((await cairn('workflow', 'limits', 'absent', '--set', 'concurrency=1')).exitCode).toBe(EXIT_CODES.notFound)
})

test('runner drain says what the runner does now; a runner that is not there exits 4', async () => {
  await db.sql`insert into runners (id, host, pid, version, node_version, capacity) values ('r1', 'h', 1, '1', '20', 5)`
  expect((await cairn('runner', 'drain', 'r1')).out).toBe('r1 claims nothing more; what it holds goes on to its end.\n')
  expect((await cairn('runner', 'list')).out).toMatch(/r1 +draining/)
  expect((await cairn('runner', 'drain', 'r1', '--undo')).out).toBe('r1 claims threads.\n')
  expect((await cairn('runner', 'drain', 'r2')).exitCode).toBe(EXIT_CODES.notFound)
})

test('runner lift ends a quarantine that runner quarantines lists, once', async () => {
  await db.sql`insert into quarantines (bundle, reason, crashes) values ('0123456789ABC', 'exit 9', 6)`
  expect((await cairn('runner', 'quarantines')).out).toMatch(/0123456789ABC .* 6 .*exit 9/)
  expect((await cairn('runner', 'lift', '0123456789ABC', '--note', 'mended')).out).toBe(
    '0123456789ABC may run again.\n',
  )
  expect((await cairn('runner', 'quarantines')).out).toBe('No version is in quarantine.\n')
  expect((await cairn('runner', 'lift', '0123456789ABC')).exitCode).toBe(EXIT_CODES.notFound)
})

test('system rebuild shows what differs and exits 1, mends it with --apply, and finds nothing then', async () => {
  const { id } = await scriptedThread(db, { queued: true })
  await db.sql`update threads set priority = 7 where id = ${id}`
  const seen = await cairn('system', 'rebuild')
  expect(seen).toMatchObject({
    exitCode: EXIT_CODES.failed,
    out: expect.stringMatching(new RegExp(`${id} +priority +7 +0`)),
  })
  expect(seen.out).toMatch(/1 column found to differ: mend with --apply\.\n$/)
  expect((await cairn('system', 'rebuild', '--apply')).exitCode).toBe(EXIT_CODES.ok)
  expect((await cairn('system', 'rebuild')).out).toMatch(/nothing differs\.\n$/)
})

test('system invariants has a line for each, names the rows that break one, and exits 1 then', async () => {
  await db.sql`insert into bundles (hash, source, digest, descriptor, size) select distinct bundle, '', ''::bytea, '{}'::jsonb, 0 from threads`
  const whole = await cairn('system', 'invariants', '--deep')
  expect(whole).toMatchObject({ exitCode: EXIT_CODES.ok, out: expect.stringMatching(/All \d+ hold\.\n$/) })
  await db.sql`insert into pins (hash, owner) values ('0123456789ABC', 'ada')`
  const broken = await cairn('system', 'invariants')
  expect(broken.exitCode).toBe(EXIT_CODES.failed)
  expect(broken.out).toMatch(/FAIL Every workflow is .*\n +0123456789ABC: ada pinned it/)
})
