import { beforeEach, expect, it } from 'vitest'
import { moveClock } from '@/db/testing/clock'
import { testDatabase } from '@/db/testing/test-database'
import { authenticate } from './authenticate'
import { sessionCookieName } from './cookie'
import { createKey, revokeKey } from './keys'
import { loginResponse } from './login'
import { createLoginLink } from './sessions'

const db = await testDatabase()
const PORT = 4400
const BASE = `http://127.0.0.1:${PORT}`
const HOST = { host: `127.0.0.1:${PORT}` }
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

const who = (headers: Record<string, string>) =>
  authenticate(db, { headers: new Headers({ ...HOST, ...headers }), kind: 'read', port: PORT })
const open = (url: string, headers: Record<string, string> = {}) =>
  loginResponse(db, new Request(url, { headers: { ...HOST, ...headers } }), PORT)
const cookieOf = (response: Response) => (response.headers.get('set-cookie') ?? '').split(';')[0] ?? ''

let link: string
beforeEach(async () => {
  link = await createLoginLink(db, BASE)
})

it('a key lets in until it is revoked, and only its hash is stored', async () => {
  const { id, key } = await createKey(db, 'laptop')
  expect(key).toMatch(/^cairn_[\w-]{43}$/)
  expect(await who({ authorization: `Bearer ${key}` })).toEqual({ name: 'key:laptop', origin: 'api', role: 'owner' })
  expect(await who({ authorization: `bearer ${key}`, 'x-cairn-client': 'cli' })).toMatchObject({ origin: 'cli' })
  const stored = JSON.stringify(await db.sql`select * from api_keys`)
  expect(stored).not.toContain(key.slice(6))
  await revokeKey(db, id)
  await expect(who({ authorization: `Bearer ${key}` })).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  await expect(revokeKey(db, id)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

it('the last use of a key is noted, once a minute at most', async () => {
  const { id, key } = await createKey(db, 'used')
  const lastUse = async () => {
    const [row] = await db.sql<{ at: Date }[]>`select last_used_at as at from api_keys where id = ${id}`
    return row?.at.getTime()
  }
  await who({ authorization: `Bearer ${key}` })
  const first = await lastUse()
  await who({ authorization: `Bearer ${key}` })
  expect(await lastUse()).toBe(first)
  await moveClock(db, 2 * MINUTE)
  await who({ authorization: `Bearer ${key}` })
  expect(await lastUse()).toBeGreaterThan(first ?? 0)
})

it.each([
  ['no credentials', {}],
  ['an unknown key', { authorization: `Bearer cairn_${'A'.repeat(43)}` }],
  ['a key without its prefix', { authorization: 'Bearer secret' }],
  ['another scheme', { authorization: 'Basic abc' }],
  ['an unknown session', { cookie: `${sessionCookieName(PORT)}=abc` }],
])('%s: UNAUTHORIZED, with what to do', async (_, headers) => {
  await expect(who(headers)).rejects.toMatchObject({
    code: 'UNAUTHORIZED',
    message: expect.stringContaining('npx cairn open'),
  })
})

it('a link opens a session and leads on; its cookie is for HTTP only and for this port', async () => {
  const response = await open(`${link}&next=/threads`)
  expect(response.status).toBe(303)
  expect(response.headers.get('location')).toBe('/threads')
  expect(response.headers.get('set-cookie')).toMatch(
    /^cairn_session_4400=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
  )
  expect(await who({ cookie: `other=1; ${cookieOf(response)}` })).toEqual({
    name: 'browser',
    origin: 'web',
    role: 'owner',
  })
})

it('a link works once; the second browser gets a page that says what to do', async () => {
  await open(link)
  const second = await open(link)
  expect(second.status).toBe(401)
  expect(second.headers.get('set-cookie')).toBeNull()
  expect(await second.text()).toContain('npx cairn open')
})

it('of two browsers that open a link at once, one gets in', async () => {
  const responses = await Promise.all([open(link), open(link), open(link)])
  expect(responses.map((response) => response.status).sort()).toEqual([303, 401, 401])
})

it('a link older than ten minutes opens nothing', async () => {
  await moveClock(db, 11 * MINUTE)
  expect((await open(link)).status).toBe(401)
})

it('a browser with a session is led on, and the link stays unused', async () => {
  const cookie = cookieOf(await open(link))
  const other = await createLoginLink(db, BASE)
  const again = await open(other, { cookie })
  expect(again.status).toBe(303)
  expect(again.headers.get('set-cookie')).toBeNull()
  expect((await open(other)).status).toBe(303)
})

it('a session lasts thirty days from its last use', async () => {
  const cookie = cookieOf(await open(link))
  await moveClock(db, 20 * DAY)
  await who({ cookie })
  await moveClock(db, 20 * DAY)
  await who({ cookie })
  await moveClock(db, 31 * DAY)
  await expect(who({ cookie })).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
})

it('a link under a foreign name of this server does not open', async () => {
  const response = await open(link, { host: 'evil.example:4400' })
  expect(response.status).toBe(403)
  expect(await response.text()).not.toContain('<script')
  expect((await open(link)).status).toBe(303)
})
