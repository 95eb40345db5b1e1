import { describe, expect, it } from 'vitest'
import { BOUNDS, limitsWith, workflowLimitsSchema } from './limits'

describe.each(Object.entries(BOUNDS))('the bound %s', (name, bound) => {
  it('has a default that is no more than its ceiling', () => {
    expect(limitsWith({})).toHaveProperty(name, bound.default)
    expect(bound.default).toBeLessThanOrEqual(bound.ceiling)
  })

  it('is set for a workflow, up to its ceiling', () => {
    const settings = workflowLimitsSchema.parse({ [name]: bound.ceiling })
    expect(limitsWith(settings)).toEqual({ ...limitsWith({}), [name]: bound.ceiling })
    for (const wrong of [bound.ceiling + 1, 0, -1, 1.5, '1', null]) {
      expect(workflowLimitsSchema.safeParse({ [name]: wrong }).success).toBe(false)
    }
  })
})

it('a name that is no bound is refused: a typing mistake must not look like a limit', () => {
  expect(workflowLimitsSchema.safeParse({ maxRound: 3 }).success).toBe(false)
})
