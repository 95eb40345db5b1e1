import { describe, expect, it } from 'vitest'
import { canonicalJson } from '@/server/cas/canonical'
import { hashBytesInScript } from '@/server/cas/hash-xxhashjs'
import type { StepRecord } from '@/server/threads/records'
import { type CheckTools, checkStep } from './browser-check'

const store = new Map<string, string>()
const tools: CheckTools = {
  hash: hashBytesInScript,
  canonical: canonicalJson,
  bodyOf: async (hash) => store.get(hash) ?? null,
}
function put(node: unknown): string {
  const body = canonicalJson(node)
  const hash = hashBytesInScript(body)
  store.set(hash, body)
  return hash
}
function stepOf(number: number, parent: string | null, content: string): StepRecord {
  const contentHash = put({ type: 'content', payload: content, refs: [] })
  const meta = { approved: true, score: 0.5 }
  const ancestors = parent === null ? [] : [parent]
  const hash = put({ type: 'state', payload: { role: 'writer', meta, content: contentHash, ancestors }, refs: [] })
  return {
    kind: 'step',
    cursor: `${number}.0.0`,
    at: '2026-11-30T12:00:00.000Z',
    hash,
    step: number,
    height: number,
    role: 'writer',
    contentHash,
    content,
    contentTruncated: false,
    meta,
    refs: [],
    childThread: null,
    durationMs: 1,
  }
}
const first = stepOf(1, null, 'draft \u0000 \ud800 ünï')
const second = stepOf(2, first.hash, 'final')

describe('checkStep', () => {
  it('finds nothing wrong with what is stored, NUL and lone surrogates included', async () => {
    expect(await checkStep(first, undefined, tools)).toBeNull()
    expect(await checkStep(second, first, tools)).toBeNull()
  })
  it('accepts a cut content that the stored one begins with', async () => {
    expect(await checkStep({ ...second, content: 'fin', contentTruncated: true }, first, tools)).toBeNull()
  })
  it.each([
    ['another text', { content: 'fina1' }, /stored content is another/],
    ['another cut text', { content: 'fun', contentTruncated: true }, /stored content is another/],
    ['another role', { role: 'reviewer' }, /another role/],
    ['another meta', { meta: { approved: false, score: 0.5 } }, /another meta/],
    ['another content', { contentHash: first.contentHash }, /another content/],
  ])('names a step that shows %s', async (_what, change, problem) => {
    expect(await checkStep({ ...second, ...change }, first, tools)).toMatch(problem)
  })
  it('names a step whose node was changed in the store', async () => {
    const changed = stepOf(3, second.hash, 'changed')
    store.set(changed.hash, (store.get(changed.hash) ?? '').replace('true', 'false'))
    expect(await checkStep(changed, second, tools)).toMatch(/does not have the hash/)
  })
  it('names a step whose content was changed in the store', async () => {
    const changed = { ...stepOf(3, second.hash, 'changed content'), content: 'chan', contentTruncated: true }
    store.set(changed.contentHash, (store.get(changed.contentHash) ?? '').replace('chan', 'Chan'))
    expect(await checkStep(changed, second, tools)).toMatch(/content does not have the hash/)
  })
  it('names a step that does not follow the one before it', async () => {
    expect(await checkStep(second, { ...first, hash: second.hash }, tools)).toMatch(/does not follow step 1/)
  })
  it('names a step whose node is gone', async () => {
    expect(await checkStep({ ...first, hash: '0000000000000' }, undefined, tools)).toMatch(/cannot be read/)
  })
})
