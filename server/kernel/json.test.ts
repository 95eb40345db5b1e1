import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isJson, jsonObjectSchema, jsonSchema } from './json'

describe('JSON as it is', () => {
  test('any JSON value passes, and is the very same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(jsonSchema.parse(value)).toBe(value)
      }),
    )
  })

  test('keys that name parts of an object are data like any other', () => {
    const value = JSON.parse('{"__proto__":{"x":1},"a":{"__proto__":2,"constructor":3}}')
    expect(JSON.stringify(jsonObjectSchema.parse(value))).toBe(
      '{"__proto__":{"x":1},"a":{"__proto__":2,"constructor":3}}',
    )
  })

  test('what JSON cannot say is refused', () => {
    for (const value of [
      undefined,
      Number.NaN,
      1n,
      () => 1,
      Symbol('s'),
      new Date(),
      new Map(),
      { a: undefined },
      [Number.POSITIVE_INFINITY],
    ]) {
      expect(isJson(value)).toBe(false)
    }
  })

  test('a value that is nested too deep is refused, however deep', () => {
    expect(jsonSchema.safeParse(JSON.parse('['.repeat(512) + ']'.repeat(512))).success).toBe(true)
    expect(jsonSchema.safeParse(JSON.parse('['.repeat(513) + ']'.repeat(513))).success).toBe(false)
    expect(jsonSchema.safeParse(JSON.parse('['.repeat(100_000) + ']'.repeat(100_000))).success).toBe(false)
  })

  test('an object is asked for: arrays, null and scalars are refused', () => {
    for (const value of [[], null, 'x', 1]) expect(jsonObjectSchema.safeParse(value).success).toBe(false)
  })
})
