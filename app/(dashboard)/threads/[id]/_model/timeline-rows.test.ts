import { expect, it } from 'vitest'
import type { ThreadRecord } from '@/server/threads/records'
import { timelineRows } from './timeline-rows'

const at = (ms: number) => new Date(Date.parse('2026-11-30T12:00:00.000Z') + ms).toISOString()
const status = (ms: number): Exclude<ThreadRecord, { kind: 'log' }> => ({
  kind: 'status',
  cursor: `0.${ms}.0`,
  at: at(ms),
  seq: 1,
  type: 'claimed',
  status: 'running',
  actor: 'runner',
  reason: null,
})
const step = (ms: number, durationMs: number): Exclude<ThreadRecord, { kind: 'log' }> => ({
  kind: 'step',
  cursor: `${ms}.0.0`,
  at: at(ms),
  hash: 'H',
  step: 1,
  height: 1,
  role: 'writer',
  contentHash: 'C',
  content: '',
  contentTruncated: false,
  meta: {},
  refs: [],
  childThread: null,
  durationMs,
})

it('draws a step from where it began to where it was stored', () => {
  const rows = timelineRows([status(0), step(400, 300), step(1000, 600)])
  expect(rows.map(({ from, to, afterMs }) => [from, to, afterMs])).toEqual([
    [0, 0, 0],
    [0.1, 0.4, 400],
    [0.4, 1, 1000],
  ])
})
it('stays inside the picture when a duration reaches back before the first record', () => {
  expect(timelineRows([step(0, 500), step(10, 600)]).map((row) => row.from)).toEqual([0, 0])
})
it('has no rows for no records', () => {
  expect(timelineRows([])).toEqual([])
})
