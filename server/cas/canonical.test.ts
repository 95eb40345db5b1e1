import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AppError } from '@/server/kernel/errors'
import { canonicalJson, MAX_JSON_DEPTH, MAX_OBJECT_BYTES, type TextLimit } from './canonical'

const jsonValue = fc.jsonValue({ noUnicodeString: false })

function errorOf(value: unknown, limit?: TextLimit): AppError {
  try {
    canonicalJson(value, limit)
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error('accepted')
}

/** `value` inside `levels` arrays. */
function nested(levels: number, value: unknown = 0): unknown {
  let result = value
  for (let i = 0; i < levels; i++) result = [result]
  return result
}

function shuffled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffled)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, shuffled(inner)]),
  )
}

describe('canonical JSON', () => {
  test('equals the reference implementation of RFC 8785 on every JSON value', () => {
    fc.assert(
      fc.property(jsonValue, (value) => {
        expect(canonicalJson(value)).toBe(canonicalize(value))
      }),
      { numRuns: 1_000 },
    )
  })

  test('parsed again it is the same value, and written again the same text', () => {
    fc.assert(
      fc.property(jsonValue, (value) => {
        const text = canonicalJson(value)
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
        expect(canonicalJson(JSON.parse(text))).toBe(text)
      }),
    )
  })

  test('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(jsonValue, (value) => {
        expect(canonicalJson(shuffled(value))).toBe(canonicalJson(value))
      }),
    )
  })

  test('sorts keys by UTF-16 code units, as in the example of the RFC', () => {
    const keys = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6']
    const text = canonicalJson(Object.fromEntries(keys.map((key) => [key, 0])))
    expect(Object.keys(JSON.parse(text)).filter((key) => key !== '1')).toEqual([
      '\r',
      '\u0080',
      '\u00f6',
      '\u20ac',
      '\ud83d\ude00',
      '\ufb33',
    ])
    expect(text.startsWith('{"\\r":0,"1":0,')).toBe(true)
  })

  test.each([
    [-0, '0'],
    [1e21, '1e+21'],
    [1e-7, '1e-7'],
    [Number('333333333.33333329'), '333333333.3333333'],
    [2 ** 53 + 2, '9007199254740994'],
    [Number('12345678901234567890'), '12345678901234567000'],
    [5e-324, '5e-324'],
    [1.7976931348623157e308, '1.7976931348623157e+308'],
  ])('writes the number %d as ECMAScript does: %s', (value, text) => {
    expect(canonicalJson(value)).toBe(text)
  })

  test('is always valid UTF-8 without NUL: NUL, controls and lone surrogates stand as escapes', () => {
    expect(canonicalJson('\u0000\u001f\ud800x\udc00\u2028é😀')).toBe('"\\u0000\\u001f\\ud800x\\udc00\u2028é😀"')
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0xffff })), (units) => {
        const text = canonicalJson(String.fromCharCode(...units))
        expect(text.includes('\u0000')).toBe(false)
        expect(Buffer.from(text, 'utf8').toString('utf8')).toBe(text)
        expect(JSON.parse(text)).toBe(String.fromCharCode(...units))
      }),
    )
  })

  test('keys that name members of Object.prototype are plain data', () => {
    const text = '{"__proto__":{"x":1},"constructor":2,"hasOwnProperty":3,"toString":4}'
    expect(canonicalJson(JSON.parse(text))).toBe(text)
  })

  test('counts own enumerable string keys only', () => {
    const value = Object.defineProperty({ a: 1, [Symbol('s')]: 2 }, 'hidden', { value: 3, enumerable: false })
    expect(canonicalJson(value)).toBe('{"a":1}')
    expect(canonicalJson(Object.assign(Object.create(null), { b: 1 }))).toBe('{"b":1}')
  })

  test.each([
    ['undefined', { a: [1, undefined] }, 'a.1', 'undefined'],
    ['a hole', [new Array(3)], '0.0', 'undefined'],
    ['NaN', { a: { b: Number.NaN } }, 'a.b', 'NaN'],
    ['Infinity', [Number.NEGATIVE_INFINITY], '0', '-Infinity'],
    ['a bigint', { a: 1n }, 'a', 'a bigint'],
    ['a symbol', { a: Symbol('x') }, 'a', 'a symbol'],
    ['a function', { a: () => 1 }, 'a', 'a function'],
    ['a Date', { at: new Date(0) }, 'at', 'class Date'],
    ['a Map', [new Map()], '0', 'class Map'],
    ['a boxed string', [Object('x')], '0', 'class String'],
    ['bytes', { a: new Uint8Array(2) }, 'a', 'class Uint8Array'],
    ['a toJSON of its own', { a: { toJSON: () => 'surprise' } }, 'a.toJSON', 'a function'],
  ])('refuses %s and says where it is', (_name, value, field, what) => {
    const error = errorOf(value)
    expect(error.code).toBe('BAD_INPUT')
    expect(error.data).toEqual({ field })
    expect(error.message).toContain(what)
  })

  test('refuses a value that contains itself, and accepts one that is used twice', () => {
    const cycle: { inner: { back?: unknown } } = { inner: {} }
    cycle.inner.back = cycle
    expect(errorOf(cycle).data).toEqual({ field: 'inner.back' })
    const shared = { x: 1 }
    expect(canonicalJson([shared, shared])).toBe('[{"x":1},{"x":1}]')
  })

  test('bounds depth by name, without touching the stack limit', () => {
    expect(canonicalJson(nested(MAX_JSON_DEPTH))).toHaveLength(2 * MAX_JSON_DEPTH + 1)
    for (const levels of [MAX_JSON_DEPTH + 1, 200_000]) {
      const error = errorOf(nested(levels))
      expect(error.code).toBe('LIMIT_EXCEEDED')
      expect(error.data).toMatchObject({ limit: 'jsonDepth', max: MAX_JSON_DEPTH })
    }
  })

  test('bounds the text of a value that shares its parts and would expand without end', () => {
    let bomb: unknown = 'x'
    for (let i = 0; i < 200; i++) bomb = [bomb, bomb]
    expect(errorOf(bomb, { limit: 'metaBytes', max: 100_000 }).data).toMatchObject({ limit: 'metaBytes', max: 100_000 })
    expect(errorOf('x'.repeat(MAX_OBJECT_BYTES + 1)).data).toMatchObject({
      limit: 'objectBytes',
      max: MAX_OBJECT_BYTES,
    })
  })

  test('what the reference implementation does differently is why it is not used: it drops, overflows and calls back', () => {
    expect(canonicalize({ a: undefined })).toBe('{}')
    expect(canonicalize({ a: { toJSON: () => 'surprise' } })).toBe('{"a":"surprise"}')
    expect(canonicalize(new Map([[1, 2]]))).toBe('{}')
    expect(() => canonicalize(nested(200_000))).toThrow(RangeError)
  })
})
