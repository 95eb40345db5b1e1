import { describe, expect, test } from 'vitest'
import { grantsSchema } from './views'

const accepts = (command: string, folders: string[] = []) =>
  grantsSchema.safeParse({ exec: [{ command, folders }] }).success

describe('grants', () => {
  test('name commands, with folders or without', () => {
    for (const command of ['git', 'g++', 'python3.11', 'clang-format', '..a']) expect(accepts(command)).toBe(true)
    expect(accepts('git', ['/srv/a folder', '/srv/日本 😀'])).toBe(true)
  })

  test('refuse what is no command or no path', () => {
    for (const command of ['', '.', '..', '/bin/sh', 'a b', 'x'.repeat(65)]) expect(accepts(command)).toBe(false)
    for (const folder of ['', 'a\0b', '\ud800', 'x'.repeat(4097)]) expect(accepts('git', [folder])).toBe(false)
  })

  test('are bounded in number', () => {
    expect(
      accepts(
        'git',
        Array.from({ length: 101 }, () => '/a'),
      ),
    ).toBe(false)
    const exec = Array.from({ length: 101 }, (_, n) => ({ command: `c${n}`, folders: [] }))
    expect(grantsSchema.safeParse({ exec }).success).toBe(false)
  })
})
