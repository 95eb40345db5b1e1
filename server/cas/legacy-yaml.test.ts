import { beforeAll, describe, expect, test } from 'vitest'
import { isAppError } from '@/server/kernel/errors'
import { hashBytes, initHash } from './hash'
import { MAX_LEGACY_BYTES, parseLegacyYaml } from './legacy-yaml'
import { readNode } from './parse-node'

beforeAll(initHash)

const [A, B, C] = ['0AAAAAAAAAAAA', '0BBBBBBBBBBBB', '0CCCCCCCCCCCC']

const STATE = `type: state
payload:
  role: planner
  meta:
    plan: "yes"
    big: 12345678901234567890
  start: ${A}
  content: ${B}
  ancestors:
    - ${C}
  compact: null
  timestamp: 1715000000000
refs:
  - ${A}
  - ${B}
  - ${C}
`

function problemOf(text: string): string {
  try {
    parseLegacyYaml(text)
  } catch (error) {
    if (isAppError(error, 'CORRUPT_NODE')) return error.message
    throw error
  }
  return 'accepted'
}

describe('the YAML of imported history', () => {
  test('a state node without childThread has none', () => {
    expect(readNode(STATE)).toEqual({
      type: 'state',
      payload: {
        role: 'planner',
        meta: { plan: 'yes', big: 12345678901234567000 },
        start: A,
        content: B,
        ancestors: [C],
        compact: null,
        timestamp: 1715000000000,
        childThread: null,
      },
      refs: [A, B, C],
    })
  })

  test('a start node without parentState has none; maxRounds and unknown fields are dropped', () => {
    const text = `type: start\npayload:\n  name: hello\n  hash: ${A}\n  depth: 0\n  maxRounds: 5\n  extra: 1\nrefs:\n  - ${B}\n`
    expect(readNode(text)).toEqual({
      type: 'start',
      payload: { name: 'hello', hash: A, depth: 0, parentState: null },
      refs: [B],
    })
  })

  test('a content node may name its refs `children`', () => {
    expect(readNode(`type: content\npayload: |\n  two\n  lines\nchildren:\n  - ${A}\n`)).toEqual({
      type: 'content',
      payload: 'two\nlines\n',
      refs: [A],
    })
  })

  test('its hash is that of its own bytes, so history keeps its addresses', () => {
    expect(hashBytes(STATE)).toBe(hashBytes(Buffer.from(STATE)))
  })

  test.each([
    [
      'a refs key with nonsense, in spite of good children',
      `type: content\npayload: x\nrefs: 1\nchildren: []\n`,
      'refs',
    ],
    ['an empty refs key, in spite of good children', `type: content\npayload: x\nrefs:\nchildren: []\n`, 'refs'],
    ['neither refs nor children', 'type: content\npayload: x\n', 'refs'],
    ['a ref that is no hash', 'type: content\npayload: x\nrefs:\n  - ../../etc/passwd\n', 'refs'],
    ['refs that are not those of the payload', STATE.replace(/ {2}- 0C+\n$/, ''), 'refs'],
    ['an unknown type', 'type: thread\npayload: {}\nchildren: []\n', 'type'],
    ['a type that is a key of Object.prototype', 'type: constructor\npayload: {}\nrefs: []\n', 'type'],
    ['a missing compact', STATE.replace('  compact: null\n', ''), 'compact'],
    ['a number that JSON cannot say', STATE.replace('"yes"', '.nan'), 'read'],
    ['a value that contains itself', STATE.replace('plan: "yes"', 'plan: &a [*a]'), 'read'],
    ['a key that is there twice', `${STATE}type: start\n`, 'read'],
    ['a list', '- 1\n', 'not a map'],
    ['absurd nesting', `type: content\npayload: x\nrefs: ${'['.repeat(100_000)}`, 'read'],
    ['a huge text', `type: content\npayload: "${'x'.repeat(MAX_LEGACY_BYTES)}"\nrefs: []\n`, 'larger than'],
  ])('refuses %s', (_name, text, words) => {
    expect(problemOf(text)).toContain(words)
  })

  test('anchors that expand a billionfold are refused at once', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]']
    for (let i = 1; i < 12; i++)
      lines.push(
        `a${i}: &a${i} [${Array(10)
          .fill(`*a${i - 1}`)
          .join(', ')}]`,
      )
    expect(problemOf(`type: content\npayload: x\nrefs: []\n${lines.join('\n')}\n`)).toContain('read')
  })

  test('an alias that the predecessor wrote for a repeated object is read', () => {
    const node = readNode(STATE.replace('plan: "yes"', 'plan: &p [1, 2]\n    again: *p'))
    expect(node).toMatchObject({ payload: { meta: { plan: [1, 2], again: [1, 2] } } })
  })
})
