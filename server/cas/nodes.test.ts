import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '@/sdk/types'
import { isAppError } from '@/server/kernel/errors'
import { type Hash, hashSchema } from '@/server/kernel/ids'
import { base32Of64 } from './base32'
import { hashBytes, initHash } from './hash'
import {
  ancestorHeights,
  ancestorsFor,
  contentNode,
  encodeNode,
  groupNode,
  type Node,
  refsOf,
  type StatePayload,
  startNode,
  stateNode,
} from './nodes'
import { parseNode, readNode } from './parse-node'

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

function hash(label: string): Hash {
  return hashBytes(label)
}

function state(changes: Partial<StatePayload> = {}): StatePayload {
  return {
    role: 'planner',
    meta: { pr: 42 },
    start: hash('start'),
    content: hash('content'),
    ancestors: [],
    compact: null,
    timestamp: 1_700_000_000_000,
    childThread: null,
    ...changes,
  }
}

function problemOf(body: string): string {
  try {
    parseNode(body, 'H')
  } catch (error) {
    if (isAppError(error, 'CORRUPT_NODE')) return error.message
    throw error
  }
  return 'accepted'
}

describe('node formats', () => {
  test('a content node is its text and the artifacts it names, byte for byte', () => {
    expect(contentNode('hi "you"\n\u0000', [hash('a')])).toEqual({
      hash: hashBytes(`{"payload":"hi \\"you\\"\\n\\u0000","refs":["${hash('a')}"],"type":"content"}`),
      body: `{"payload":"hi \\"you\\"\\n\\u0000","refs":["${hash('a')}"],"type":"content"}`,
      refs: [hash('a')],
      size: 74,
    })
  })

  test('a start node names its prompt by its first ref only, and its parent when it has one', () => {
    const [bundle, prompt, parentState] = [hash('bundle'), hash('prompt'), hash('parent')]
    const top = startNode({ name: 'hello', bundle, depth: 0, parentState: null, prompt })
    expect(top.body).toBe(
      `{"payload":{"depth":0,"hash":"${bundle}","name":"hello","parentState":null},"refs":["${prompt}"],"type":"start"}`,
    )
    const child = startNode({
      name: 'hello',
      bundle,
      depth: 1,
      parentState,
      prompt,
      maxRounds: 5,
      input: { b: 1, a: null },
    })
    expect(child.refs).toEqual([prompt, parentState])
    expect(child.body).toContain('"input":{"a":null,"b":1},"maxRounds":5,')
  })

  test.each([
    ['alone', {}, ['start', 'content']],
    ['with a child', { childThread: 'child' }, ['start', 'content', 'child']],
    [
      'with everything',
      { ancestors: ['a1', 'a2'], compact: 'sum', childThread: 'child' },
      ['start', 'content', 'a1', 'a2', 'sum', 'child'],
    ],
  ])('refs of a state node %s come in the fixed order', (_name, given: Record<string, string | string[]>, labels) => {
    const changes = Object.fromEntries(
      Object.entries(given).map(([key, value]) => [key, Array.isArray(value) ? value.map(hash) : hash(value)]),
    )
    expect(stateNode(state(changes)).refs).toEqual(labels.map(hash))
  })

  test('the fast writer of state nodes equals the general encoder', () => {
    fc.assert(
      fc.property(anyState, (payload) => {
        const slow = encodeNode({ type: 'state', payload, refs: refsOf({ type: 'state', payload }, []) })
        expect(stateNode(payload)).toEqual(slow)
      }),
      { numRuns: 500 },
    )
  })

  test('the content writer equals the general encoder', () => {
    fc.assert(
      fc.property(anyText, fc.array(anyHash), (payload, refs) => {
        expect(contentNode(payload, refs)).toEqual(encodeNode({ type: 'content', payload, refs }))
      }),
    )
  })

  test('a state node with a fractional time or a twelfth ancestor is refused', () => {
    expect(() => stateNode(state({ timestamp: 1.5 }))).toThrow(/whole number/)
    expect(() => stateNode(state({ ancestors: Array.from({ length: 12 }, () => hash('a')) }))).toThrow(/at most 11/)
  })
})

describe('parseNode', () => {
  test('gives back what a builder was given', () => {
    fc.assert(
      fc.property(anyState, (payload) => {
        const { body, refs } = stateNode(payload)
        expect(parseNode(body)).toEqual({ type: 'state', payload, refs })
      }),
    )
    const start = startNode({
      name: 'hello',
      bundle: hash('b'),
      depth: 0,
      parentState: null,
      prompt: hash('p'),
      input: JSON.parse('{"__proto__":{"x":1},"constructor":1}'),
    })
    expect(encodeNode(parseNode(start.body))).toEqual(start)
    const group = groupNode([{ threadId: 'T', workflow: 'w', returnCode: 0 }], [hash('end')])
    expect(encodeNode(parseNode(group.body))).toEqual(group)
  })

  test('every single changed character of a node is refused or gives other bytes', () => {
    const { body } = stateNode(state({ ancestors: [hash('a')], meta: { text: 'x' } }))
    for (let at = 0; at < body.length; at++) {
      const changed = body.slice(0, at) + (body[at] === 'A' ? 'B' : 'A') + body.slice(at + 1)
      let node: Node
      try {
        node = parseNode(changed)
      } catch (error) {
        expect(isAppError(error, 'CORRUPT_NODE')).toBe(true)
        continue
      }
      expect(encodeNode(node).body).toBe(changed)
    }
  })

  test.each([
    ['text that is no JSON', (body: string) => body.slice(1), 'not JSON'],
    ['an unknown type', (body: string) => body.replace('"state"', '"other"'), 'type'],
    ['a field too many', (body: string) => body.replace('"role"', '"also":1,"role"'), 'also'],
    ['a field too few', (body: string) => body.replace('"compact":null,', ''), 'compact'],
    ['a __proto__ field', (body: string) => body.replace('"ancestors"', '"__proto__":{},"ancestors"'), '__proto__'],
    ['refs in another order', (body: string) => body.replace(/"refs":\["(.*?)","(.*?)"/, '"refs":["$2","$1"'), 'refs'],
    ['a ref too many', (body: string) => body.replace(/"refs":\["(.*?)"/, '"refs":["$1","$1"'), 'refs'],
    ['white space', (body: string) => body.replace(',', ', '), 'canonical form'],
    ['a key that is there twice', (body: string) => body.replace('"pr":42', '"pr":1,"pr":42'), 'canonical form'],
    ['keys in another order', (body: string) => body.replace('"pr":42', '"z":1,"pr":42'), 'canonical form'],
    ['a number in another form', (body: string) => body.replace('42', '42.0'), 'canonical form'],
    ['absurd nesting', (body: string) => body.replace('42', '['.repeat(50_000) + ']'.repeat(50_000)), 'too deep'],
  ])('refuses %s and names the node', (_name, change, words) => {
    const { body } = stateNode(state())
    expect(problemOf(body)).toBe('accepted')
    expect(problemOf(change(body))).toContain(words)
    expect(problemOf(change(body))).toContain('The stored node H is damaged')
  })

  test('a content node whose text looks like a node stays text', () => {
    const inner = stateNode(state()).body
    expect(readNode(contentNode(inner, []).body)).toEqual({ type: 'content', payload: inner, refs: [] })
  })
})

describe('ancestors', () => {
  test('are the parent and 2, 4, 8 … 1024 steps back, never the start node', () => {
    expect(ancestorHeights(1)).toEqual([])
    expect(ancestorHeights(2)).toEqual([1])
    expect(ancestorHeights(3)).toEqual([2, 1])
    expect(ancestorHeights(16)).toEqual([15, 14, 12, 8])
    expect(ancestorHeights(5_000)).toEqual([4999, 4998, 4996, 4992, 4984, 4968, 4936, 4872, 4744, 4488, 3976])
    expect(ancestorHeights(1_000_000)).toHaveLength(11)
    expect(ancestorsFor(3, (height) => hash(String(height)))).toEqual([hash('2'), hash('1')])
  })

  test('reach any height in a number of hops that grows with the logarithm', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), fc.integer({ min: 1, max: 10_000 }), (a, b) => {
        const [from, to] = [Math.max(a, b), Math.min(a, b)]
        let at = from
        let hops = 0
        while (at > to) {
          at = Math.min(...ancestorHeights(at).filter((height) => height >= to))
          hops++
        }
        expect(hops).toBeLessThanOrEqual(10 + 10)
      }),
    )
  })
})
