import { expect, it } from 'vitest'
import { checkHostAndOrigin, loopbackHosts, type RequestKind } from './check-request'

const hosts = loopbackHosts(4400)

function passes(headers: Record<string, string>, kind: RequestKind = 'read', byCookie = true): boolean {
  try {
    checkHostAndOrigin(new Headers({ host: '127.0.0.1:4400', ...headers }), hosts, { kind, byCookie })
    return true
  } catch (error) {
    expect(error).toMatchObject({ code: 'FORBIDDEN' })
    return false
  }
}

it.each(['127.0.0.1:4400', 'localhost:4400', 'LOCALHOST:4400', '[::1]:4400'])('%s is a name of this server', (host) => {
  expect(passes({ host })).toBe(true)
})

it.each([
  'evil.example:4400',
  '127.0.0.1',
  '127.0.0.1:4401',
  'localhost.evil.example:4400',
  '127.0.0.1:4400.evil.example',
  '',
])('"%s" is not, whatever else the request carries', (host) => {
  for (const kind of ['page', 'read', 'write'] as const) {
    expect(passes({ host, origin: 'http://127.0.0.1:4400', 'sec-fetch-site': 'same-origin' }, kind, false)).toBe(false)
  }
})

it.each([
  ['another site', { origin: 'https://evil.example' }],
  ['another port of this machine', { origin: 'http://127.0.0.1:4401' }],
  ['a sandboxed frame', { origin: 'null' }],
  ['another site, said by the browser only', { 'sec-fetch-site': 'cross-site' }],
  ['another port, said by the browser only', { 'sec-fetch-site': 'same-site' }],
])('a script on %s can neither read nor write, with a cookie or a key', (_, headers) => {
  for (const kind of ['read', 'write'] as const) {
    expect(passes(headers, kind, true)).toBe(false)
    expect(passes(headers, kind, false)).toBe(false)
  }
})

it('a write by cookie must prove that it comes from this origin; one by key need not', () => {
  expect(passes({}, 'write', true)).toBe(false)
  expect(passes({ 'sec-fetch-site': 'none' }, 'write', true)).toBe(false)
  expect(passes({ origin: 'http://localhost:4400', host: 'localhost:4400' }, 'write', true)).toBe(true)
  expect(passes({ 'sec-fetch-site': 'same-origin' }, 'write', true)).toBe(true)
  expect(passes({}, 'write', false)).toBe(true)
})

it('a page may be opened by a link on another site', () => {
  expect(passes({ 'sec-fetch-site': 'cross-site' }, 'page')).toBe(true)
})
