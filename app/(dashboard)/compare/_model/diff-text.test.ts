import { describe, expect, it } from 'vitest'
import { type DiffPart, diffText } from './diff-text'

const side = (parts: DiffPart[] | null, own: 'removed' | 'added') =>
  parts?.map((part) => (part.kind === 'same' || part.kind === own ? part.text : '')).join('')

describe('diffText', () => {
  it('marks the words that differ, and the texts can be read off it again', () => {
    const parts = diffText('Put a stone on top.', 'Put a boulder on top.')
    expect(parts).toEqual([
      { kind: 'same', text: 'Put a ' },
      { kind: 'removed', text: 'stone' },
      { kind: 'added', text: 'boulder' },
      { kind: 'same', text: ' on top.' },
    ])
  })

  it('gives both texts back whole, whatever they are', () => {
    for (const [a, b] of [
      ['', 'all new\n'],
      ['one\ntwo\n', 'two\nthree'],
      ['line\n'.repeat(5_000), 'other\n'.repeat(2)],
    ] as const) {
      const parts = diffText(a, b)
      expect(side(parts, 'removed')).toBe(a)
      expect(side(parts, 'added')).toBe(b)
    }
  })

  it('has one part for equal texts', () => {
    expect(diffText('same', 'same')).toEqual([{ kind: 'same', text: 'same' }])
  })
})
