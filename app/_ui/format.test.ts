import { describe, expect, it } from 'vitest'
import { formatAgo, formatBytes, formatDuration, formatUtc, plural } from './format'

describe('formatDuration', () => {
  it.each([
    [0, '0 ms'],
    [-5, '0 ms'],
    [840.4, '840 ms'],
    [4_240, '4.2 s'],
    [59_980, '1 m 00 s'],
    [185_000, '3 m 05 s'],
    [2 * 3_600_000 + 14 * 60_000, '2 h 14 m'],
    [76 * 3_600_000, '3 d 4 h'],
  ])('%d ms reads %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text)
  })
})

describe('formatAgo', () => {
  const now = Date.parse('2026-11-30T12:00:00.000Z')
  it.each([
    ['2026-11-30T12:00:03.000Z', 'just now'],
    ['2026-11-30T11:59:18.000Z', '42 s ago'],
    ['2026-11-30T11:55:00.000Z', '5 m ago'],
    ['2026-11-30T09:00:00.000Z', '3 h ago'],
    ['2026-11-28T11:00:00.000Z', '2 d ago'],
  ])('%s is %s', (iso, text) => {
    expect(formatAgo(iso, now)).toBe(text)
  })
})

describe('the other texts', () => {
  it('shows the exact UTC time with milliseconds', () => {
    expect(formatUtc('2026-11-30T20:13:07.123Z')).toBe('2026-11-30 20:13:07.123 UTC')
  })
  it('counts bytes in powers of 1024', () => {
    expect([0, 1023, 1024, 1536, 20 * 1024, 5 * 1024 ** 3].map(formatBytes)).toEqual([
      '0 B',
      '1023 B',
      '1.0 KB',
      '1.5 KB',
      '20 KB',
      '5.0 GB',
    ])
  })
  it('says one step and many steps', () => {
    expect([plural(1, 'step'), plural(0, 'step'), plural(1200, 'step')]).toEqual(['1 step', '0 steps', '1,200 steps'])
  })
})
