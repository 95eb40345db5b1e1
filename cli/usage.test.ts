import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { EXIT_CODES } from './exit-codes'
import { REPOSITORY } from './up/paths'

const cairn = (...args: string[]) =>
  spawnSync(process.execPath, ['cli/bin.mjs', ...args], { cwd: REPOSITORY, encoding: 'utf8' })

test('a wrong command line exits 2 with one error on stderr: a sentence, or with --json a JSON value', () => {
  const plain = cairn('run', 'hello')
  expect([plain.status, plain.stdout, plain.stderr]).toEqual([
    EXIT_CODES.usage,
    '',
    "error: required option '-p, --prompt <text>' not specified\n",
  ])
  const json = cairn('run', 'hello', '--json')
  expect([json.status, json.stdout]).toEqual([EXIT_CODES.usage, ''])
  expect(JSON.parse(json.stderr)).toEqual({
    error: { message: expect.stringContaining("required option '-p, --prompt <text>'"), exitCode: EXIT_CODES.usage },
  })
}, 60_000)
