import { describe, expect, test } from 'vitest'
import { sandboxFlags } from './node-flags'

describe('the flags of a worker', () => {
  test.each([
    ['v20.9.0', '--experimental-permission'],
    ['v22.12.0', '--experimental-permission'],
    ['v22.13.0', '--permission'],
    ['v23.4.0', '--experimental-permission'],
    ['v23.5.0', '--permission'],
    ['v24.0.0', '--permission'],
    ['v26.1.0', '--permission'],
  ])('Node %s gets the permission model by %s', (version, flag) => {
    expect(sandboxFlags(version, { heapMegabytes: 64 })).toContain(flag)
  })

  test('nothing is allowed, not even to read a file', () => {
    const flags = sandboxFlags('v22.13.0', { heapMegabytes: 64 })
    expect(flags.filter((flag) => flag.startsWith('--allow'))).toEqual([])
    expect(flags).toContain('--max-old-space-size=64')
  })
})
