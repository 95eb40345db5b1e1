import { describe, expect, it } from 'vitest'
import { BOUNDS } from '@/server/threads/limits'
import { draftOfLimits, LIMIT_ROWS, readLimits } from './limits-draft'

describe('limits of a workflow', () => {
  it('shows every bound of the engine', () => {
    expect(LIMIT_ROWS.map((row) => row.name).sort()).toEqual(Object.keys(BOUNDS).sort())
  })

  it('gives back what it was made from, and nothing for what is left at its default', () => {
    const limits = { concurrency: 3, maxRounds: 7, overflow: 'drop', priority: -2, labels: ['gpu', 'linux'] } as const
    const given = { ...limits, labels: [...limits.labels] }
    expect(readLimits(draftOfLimits(given)).limits).toEqual(given)
    expect(readLimits(draftOfLimits({})).limits).toEqual({})
  })

  it('names what is no number, or above its ceiling', () => {
    const draft = { ...draftOfLimits({}), priority: '5000' }
    const { problems } = readLimits({ ...draft, bounds: { concurrency: '0', maxDepth: '33', roleSeconds: 'x' } })
    expect([...problems.keys()].sort()).toEqual(['concurrency', 'maxDepth', 'priority', 'roleSeconds'])
    expect(problems.get('maxDepth')).toContain('32')
  })
})
