import { beforeAll, describe, expect, test } from 'vitest'
import { digestOf, initHash } from '@/server/cas/hash'
import { contentNode, startNode } from '@/server/cas/nodes'
import { parseNode } from '@/server/cas/parse-node'
import { hashSchema } from '@/server/kernel/ids'
import { Chain } from './chain'

beforeAll(initHash)

function begin() {
  const prompt = contentNode('prompt', [])
  const start = startNode({
    name: 'demo',
    bundle: hashSchema.parse('0123456789ABC'),
    depth: 0,
    parentState: null,
    prompt: prompt.hash,
  })
  const startDigest = digestOf(start.body, [digestOf(prompt.body, [])])
  const content = { hash: prompt.hash, digest: digestOf(prompt.body, []) }
  return { chain: new Chain({ hash: start.hash, digest: startDigest }, 1_000), startDigest, content }
}

function grow(chain: Chain, content: ReturnType<typeof begin>['content'], count: number) {
  return Array.from({ length: count }, (_, n) => {
    const node = chain.next({ role: 'work', meta: { n }, content, childThread: null, now: 2_000 + n })
    chain.push(node)
    return node
  })
}

describe('a chain of state nodes', () => {
  test('the first node after the start node has no ancestors, and the start node is never one', () => {
    const { chain, content } = begin()
    const [first, second] = grow(chain, content, 2)
    expect(parseNode(first?.body ?? '')).toMatchObject({ payload: { ancestors: [] } })
    expect(parseNode(second?.body ?? '')).toMatchObject({ payload: { ancestors: [first?.hash] } })
  })

  test('ancestors are the nodes 1, 2, 4 … 1024 steps back, at most 11, for any length', () => {
    const { chain, content } = begin()
    const nodes = grow(chain, content, 3_000)
    for (const at of [2, 15, 16, 1_024, 1_025, 2_999, 3_000]) {
      const node = parseNode(nodes[at - 1]?.body ?? '')
      const expected = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024]
        .filter((back) => at - back >= 1)
        .map((back) => nodes[at - back - 1]?.hash)
      expect(node).toMatchObject({ payload: { ancestors: expected } })
      expect(expected.length).toBeLessThanOrEqual(11)
    }
  })

  test('the digest of a node is SHA-256 of its bytes and the digests of its refs, in their order', () => {
    const { chain, content, startDigest } = begin()
    const [first, second, third] = grow(chain, content, 3)
    if (first === undefined || second === undefined || third === undefined) throw new Error('three nodes')
    expect(third.digest).toEqual(digestOf(third.body, [startDigest, content.digest, second.digest, first.digest]))
  })

  test('no node is older than its parent, also when the clock steps back', () => {
    const { chain, content } = begin()
    const ahead = chain.next({ role: 'a', meta: {}, content, childThread: null, now: 9_000 })
    chain.push(ahead)
    expect(chain.next({ role: 'b', meta: {}, content, childThread: null, now: 5_000 }).timestamp).toBe(9_000)
  })
})
