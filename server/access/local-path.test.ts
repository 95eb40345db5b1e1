import fc from 'fast-check'
import { expect, it } from 'vitest'
import { localPath } from './local-path'

it.each(['/', '/threads/01J0000000000000000000000A', '/workflows/hello/run?prompt=a%20b#top'])('%s is kept', (path) => {
  expect(localPath(path)).toBe(path)
})

it.each(['//evil.example', '/\\evil.example', 'https://evil.example', 'evil', '', '/a\r\nset-cookie: x', '/a b', null])(
  '%j leads to the start page',
  (path) => {
    expect(localPath(path)).toBe('/')
  },
)

it('whatever is asked for, a browser stays on this server', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('/', '\\', '.', ':', 'a', '@', '?', '#', '\t', '\n', ' ') }),
      (path) => {
        expect(new URL(localPath(path), 'http://127.0.0.1:4400').host).toBe('127.0.0.1:4400')
      },
    ),
  )
})
