import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import type { JsonObject } from '@/sdk/types'
import { isAppError } from '@/server/kernel/errors'
import { hashSchema } from '@/server/kernel/ids'
import { base32Of64 } from './base32'
import { hashBytes, initHash } from './hash'
import { contentNode, type StatePayload, stateNode } from './nodes'
import { parseNode } from './parse-node'
import { parseState } from './parse-state'

beforeAll(initHash)

const uint32 = fc.integer({ min: 0, max: 0xffff_ffff })
const anyHash = fc.tuple(uint32, uint32).map(([high, low]) => hashSchema.parse(base32Of64(high, low)))
const anyText = fc.string({ unit: 'binary' })
const anyMeta = fc.dictionary(anyText, fc.jsonValue()).map((meta) => JSON.parse(JSON.stringify(meta)) as JsonObject)
const anyState: fc.Arbitrary<StatePayload> = fc.record({
  role: anyText,
  meta: anyMeta,
  start: anyHash,
  content: anyHash,
  ancestors: fc.array(anyHash, { maxLength: 11 }),
  compact: fc.option(anyHash),
  timestamp: fc.maxSafeNat(),
  childThread: fc.option(anyHash),
})

/** What each reader makes of a body under its own hash: a payload, or that it is damaged. */
function both(body: string): { strict: unknown; quick: unknown } {
  const tryIt = (read: () => unknown) => {
    try {
      return read()
    } catch (error) {
      if (!isAppError(error, 'CORRUPT_NODE')) throw error
      return 'damaged'
    }
  }
  return {
    strict: tryIt(() => parseNode(body).payload),
    quick: tryIt(() => parseState(body, hashBytes(body))),
  }
}

test('every state node is read back as what was written', () => {
  fc.assert(
    fc.property(anyState, (payload) => {
      const { hash, body } = stateNode(payload)
      expect(parseState(body, hash)).toEqual(parseNode(body).payload)
    }),
  )
})

test('whatever is done to the text of a node, it is refused when the strict reader refuses it', () => {
  fc.assert(
    fc.property(anyState, fc.nat(), fc.nat(3), anyText, (payload, at, cut, put) => {
      const { body } = stateNode(payload)
      const from = at % body.length
      const { strict, quick } = both(body.slice(0, from) + put + body.slice(from + cut))
      expect(quick).toEqual(strict)
    }),
    { numRuns: 500 },
  )
})

const H = '0K3V7Z2M9Q4TX'
const text = (payload: Record<string, unknown>, refs: unknown[] = [H, H]) =>
  JSON.stringify({
    payload: {
      ancestors: [],
      childThread: null,
      compact: null,
      content: H,
      meta: {},
      role: 'r',
      start: H,
      timestamp: 1,
      ...payload,
    },
    refs,
    type: 'state',
  })

test.each([
  ['as it should be', text({}), true],
  ['a hash that is none', text({ content: 'x' }, [H, 'x']), false],
  ['an ancestor that is none', text({ ancestors: ['x'] }, [H, H, 'x']), false],
  ['meta that is a list', text({ meta: [] }), false],
  ['a time with a fraction', text({ timestamp: 1.5 }), false],
  ['a time as text', text({ timestamp: '1' }), false],
  ['a member too many', text({ zero: 0 }), false],
  ['a member too few', text({ childThread: undefined }), false],
  ['refs that its payload does not ask for', text({}, [H]), false],
  ['a role that is no text', text({ role: 7 }), false],
])('a node with %s', (_what, body, fits) => {
  const { strict, quick } = both(body)
  expect(quick).toEqual(strict)
  expect(quick !== 'damaged').toBe(fits)
})

test('text under the address of another text, and a node of another type, are refused', () => {
  expect(() => parseState(text({}), H)).toThrow('its text has another hash')
  const content = contentNode('said', [])
  expect(() => parseState(content.body, content.hash)).toThrow('it is of type content, not state')
})
