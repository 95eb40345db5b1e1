import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '@/sdk/types'
import { checkAnswer, schemaProblem } from './check-answer'

const APPROVAL = {
  type: 'object',
  properties: {
    approved: { type: 'boolean' },
    note: { type: 'string', maxLength: 5 },
    lines: { type: 'array', items: { type: 'integer' } },
  },
  required: ['approved'],
  additionalProperties: false,
} satisfies JsonObject

describe('the check of an answer', () => {
  it('lets through what the schema asks for', () => {
    expect(checkAnswer(APPROVAL, { approved: true, note: 'fine', lines: [1, 2] })).toEqual({ ok: true })
  })

  it.each<[Json, string[]]>([
    [{}, ['']],
    ['yes', ['']],
    [{ approved: 'yes' }, ['approved']],
    [{ approved: true, lines: [1, 'b', 2.5] }, ['lines.1', 'lines.2']],
    [{ approved: true, other: 1 }, ['']],
    [JSON.parse('{"approved":true,"__proto__":{"admin":true}}'), ['']],
    [{ approved: true, note: 'too long' }, ['note']],
  ])('says where %j does not fit', (value, paths) => {
    const checked = checkAnswer(APPROVAL, value)
    expect(checked.ok ? [] : checked.problems.map((problem) => problem.path)).toEqual(paths)
  })

  it('takes no inherited property for a given one', () => {
    expect(checkAnswer({ type: 'object', required: ['constructor'] }, {}).ok).toBe(false)
  })

  it.each<[string, JsonObject, Json]>([
    ['a pattern that backtracks for ever', { pattern: '^(a+)+$' }, `${'a'.repeat(60)}!`],
    ['definitions that double 40 times', doubling(40), 1],
    ['unique items of a large list', { uniqueItems: true }, Array.from({ length: 200_000 }, (_, at) => at)],
    ['a schema that refers to itself', { $ref: '#' }, 1],
    ['a schema elsewhere', { $ref: 'http://127.0.0.1:1/schema.json' }, 1],
    ['a pattern that is none', { pattern: '(' }, 'a'],
  ])('refuses within seconds what cannot be checked: %s', (_, schema, value) => {
    const began = performance.now()
    const checked = checkAnswer(schema, value)
    expect(checked.ok ? '' : checked.problems[0]?.message).toMatch(/^cannot be checked: its schema /)
    expect(performance.now() - began).toBeLessThan(5000)
  })

  it('refuses a schema that is too large or too deep, before it looks at it', () => {
    let deep: JsonObject = { type: 'string' }
    for (let level = 0; level < 100_000; level++) deep = { not: deep }
    expect(schemaProblem(deep)).toMatch(/more than 64 levels/)
    expect(schemaProblem({ description: 'x'.repeat(70_000) })).toMatch(/schemaBytes allows \(65536\)/)
    expect(schemaProblem(APPROVAL)).toBeNull()
    expect(checkAnswer(deep, 'a').ok).toBe(false)
  })
})

function doubling(times: number): JsonObject {
  const defs: JsonObject = { [`d${times}`]: { type: 'string' } }
  for (let at = 0; at < times; at++) {
    const next = { $ref: `#/$defs/d${at + 1}` }
    defs[`d${at}`] = { anyOf: [next, next] }
  }
  return { $defs: defs, $ref: '#/$defs/d0' }
}
