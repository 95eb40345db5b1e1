import { expect, test } from 'vitest'
import { formatTable } from './table'
import { noPaint } from './terminal'
import { formatBytes, formatDuration } from './units'

test('columns line up, numbers to the right, and no cell can break out of its line', () => {
  const rows = [
    { name: 'a', n: 7 },
    { name: 'long\nname\x1b[2J', n: 1234 },
  ]
  const table = formatTable(
    rows,
    [
      { title: 'NAME', value: (row) => row.name },
      { title: 'N', value: (row) => String(row.n), align: 'right' },
    ],
    noPaint,
  )
  expect(table).toBe('NAME          N\na             7\nlong name  1234\n')
})

test('durations and sizes in units a person reads', () => {
  expect([0, 999, 1000, 59_940, 60_000, 3_661_000].map(formatDuration)).toEqual([
    '0 ms',
    '999 ms',
    '1.0 s',
    '59.9 s',
    '1 min 0 s',
    '1 h 1 min',
  ])
  expect([0, 1023, 1024, 5 * 1024 * 1024].map(formatBytes)).toEqual(['0 B', '1023 B', '1.0 KiB', '5.0 MiB'])
})
