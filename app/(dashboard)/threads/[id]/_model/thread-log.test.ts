import { describe, expect, it } from 'vitest'
import type { ThreadRecord } from '@/server/threads/records'
import { addRecords, EMPTY_LOG, heightOf, isOver } from './thread-log'

const at = '2026-11-30T12:00:00.000Z'
const start: ThreadRecord = {
  kind: 'start',
  cursor: '0.0.0',
  at,
  hash: 'S',
  workflow: 'hello',
  bundle: 'B',
  prompt: 'hi',
  input: null,
  depth: 0,
  parentState: null,
}
const status = (cursor: string, now: 'queued' | 'running'): ThreadRecord => ({
  kind: 'status',
  cursor,
  at,
  seq: 1,
  type: now === 'queued' ? 'queued' : 'claimed',
  status: now,
  actor: 'browser',
  reason: null,
})
const step = (cursor: string, number: number): ThreadRecord => ({
  kind: 'step',
  cursor,
  at,
  hash: `N${number}`,
  step: number,
  height: number,
  role: 'greeter',
  contentHash: 'C',
  content: 'hello',
  contentTruncated: false,
  meta: {},
  refs: [],
  childThread: null,
  durationMs: 5,
})
const line = (cursor: string): ThreadRecord => ({
  kind: 'log',
  cursor,
  at,
  seq: 1,
  level: 'info',
  tag: null,
  text: 'x',
})
const end: ThreadRecord = {
  kind: 'end',
  cursor: '3.3.1',
  at,
  hash: 'E',
  status: 'completed',
  returnCode: 0,
  summary: 'done',
  steps: 2,
  durationMs: 10,
}

const all = [
  start,
  status('0.1.0', 'queued'),
  status('0.2.0', 'running'),
  step('1.2.0', 1),
  line('1.2.1'),
  step('2.2.1', 2),
  end,
]

describe('addRecords', () => {
  it('sorts records into steps, timeline and log, and ends with the end record', () => {
    const log = addRecords(EMPTY_LOG, all)
    expect(log.steps.map((each) => each.step)).toEqual([1, 2])
    expect(log.logs).toHaveLength(1)
    expect(log.timeline.map((each) => each.kind)).toEqual(['start', 'status', 'status', 'step', 'step', 'end'])
    expect(log).toMatchObject({ cursor: '3.3.1', status: 'completed' })
    expect(isOver(log)).toBe(true)
  })

  it('gives the same whether records come at once, one by one, or twice after a reconnect', () => {
    const atOnce = addRecords(EMPTY_LOG, all)
    const oneByOne = all.reduce((log, record) => addRecords(log, [record]), EMPTY_LOG)
    const repeated = addRecords(addRecords(addRecords(EMPTY_LOG, all.slice(0, 4)), all.slice(1)), all)
    expect(oneByOne).toEqual(atOnce)
    expect(repeated).toEqual(atOnce)
  })

  it('keeps the object, so that nothing renders again, when nothing is new', () => {
    const log = addRecords(EMPTY_LOG, all)
    expect(addRecords(log, all)).toBe(log)
  })

  it('orders cursors by number, not by text', () => {
    const log = addRecords(EMPTY_LOG, [step('9.0.0', 9), step('10.0.0', 10)])
    expect(log.steps.map((each) => each.step)).toEqual([9, 10])
  })

  it('goes on after an end that was retried, and takes the end that comes then', () => {
    const again = addRecords(addRecords(EMPTY_LOG, all), [status('4.4.1', 'queued'), status('4.5.1', 'running')])
    expect(again).toMatchObject({ end: null, status: 'running' })
    expect(isOver(again)).toBe(false)
    expect(heightOf(again)).toBe(4)
    expect(addRecords(again, [step('5.5.1', 3), { ...end, cursor: '6.6.1', hash: 'E2' }])).toMatchObject({
      end: { hash: 'E2' },
      status: 'completed',
    })
  })

  it('is not over before the end record', () => {
    expect(isOver(addRecords(EMPTY_LOG, all.slice(0, -1)))).toBe(false)
  })
})
