import { afterAll, expect, test } from 'vitest'
import { moveClock } from '@/db/testing/clock'
import { testDatabase } from '@/db/testing/test-database'
import { createKey } from '@/server/access/keys'
import { serveApi } from '@/server/api/testing/http-server'
import { putContent } from '@/server/cas/put'
import { writeHistory } from '@/server/cas/testing/history'
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

test('cas pin keeps an object through cas gc, and unpin gives it up; a dry run says the same and deletes nothing', async () => {
  const kept = await putContent(db, 'kept', [])
  await putContent(db, 'lost', [])
  expect((await cairn('cas', 'pin', kept, '--note', 'for the audit')).out).toBe(`${kept} is kept for key:test.\n`)
  expect((await cairn('cas', 'pins')).out).toMatch(new RegExp(`${kept} +content .*key:test.*for the audit`))
  await moveClock(db, 2 * 86_400_000)
  expect((await cairn('cas', 'gc', '--dry-run')).out).toMatch(/^Would delete 1 object \(\d+ B\); 1 are in use\.\n$/)
  expect((await cairn('cas', 'gc')).out).toMatch(/^Deleted 1 object \(\d+ B\); 1 were in use\.\n$/)
  expect((await cairn('cas', 'gc-runs')).out).toMatch(/done.*\n.*done.*1 \(dry run\)/)
  expect((await cairn('cas', 'unpin', kept)).exitCode).toBe(EXIT_CODES.ok)
  const again = await cairn('cas', 'unpin', kept)
  expect(again).toMatchObject({ exitCode: EXIT_CODES.notFound, error: expect.stringContaining('Nobody has pinned it') })
  expect(JSON.parse((await cairn('cas', 'gc', '--json')).out)).toMatchObject({ phase: 'done', objects: 1 })
  expect((await cairn('cas', 'pin', kept)).exitCode).toBe(EXIT_CODES.notFound)
  expect((await cairn('cas', 'gc', '--grace', '5')).error).toContain('at least 600 s')
}, 60_000)

test('cas rm deletes what nothing refers to, and names what does otherwise', async () => {
  const below = await putContent(db, 'below', [])
  const above = await putContent(db, 'above', [below])
  const refused = await cairn('cas', 'rm', below)
  expect(refused).toMatchObject({ exitCode: EXIT_CODES.conflict, error: expect.stringContaining(`content ${above}`) })
  expect((await cairn('cas', 'refs', below)).out).toBe(`Refers to\n  nothing\nIs referred to by\n  ${above}  content\n`)
  expect((await cairn('cas', 'rm', above)).out).toBe(`${above} is deleted.\n`)
  expect((await cairn('cas', 'rm', below)).exitCode).toBe(EXIT_CODES.ok)
  expect((await cairn('cas', 'rm', below)).exitCode).toBe(EXIT_CODES.notFound)
})

test('cas rm refuses contents, nodes and start nodes of a history, and what somebody has pinned', async () => {
  const history = await writeHistory(db, { steps: 2 })
  const pinned = await putContent(db, 'pinned', [])
  await cairn('cas', 'pin', pinned)
  for (const [hash, named] of [
    [history.contents[0], `state ${history.chain[0]}`],
    [history.prompt, `start ${history.start}`],
    [history.head, history.id],
    [history.start, history.id],
    [pinned, 'pin of key:test'],
  ] as const) {
    const refused = await cairn('cas', 'rm', String(hash))
    expect(refused).toMatchObject({ exitCode: EXIT_CODES.conflict, error: expect.stringContaining(named) })
  }
})
