import { describe, expect, test } from 'vitest'
import type { ThreadRecord } from '@/server/threads/records'
import { MAX_CONTENT_LINES, recordLines } from './record-lines'
import { noPaint } from './terminal'
import { localTime } from './units'

const at = '2026-03-01T12:00:05.000Z'
const step = (over: Partial<ThreadRecord & { kind: 'step' }> = {}): ThreadRecord => ({
  kind: 'step',
  cursor: '1.1.0',
  at,
  hash: '0000000000001',
  step: 3,
  height: 3,
  role: 'survey',
  contentHash: '0000000000002',
  content: 'one line',
  contentTruncated: false,
  meta: { files: 12 },
  refs: [],
  childThread: null,
  durationMs: 1234,
  ...over,
})
const view = { paint: noPaint }

describe('a step', () => {
  test('shows local time, role, content and one line of meta', () => {
    expect(recordLines(step(), view)).toEqual([
      `${localTime(at)}  survey  step 3, 1.2 s`,
      '          one line',
      '          {"files":12}',
    ])
  })
  test('shows at most ten lines of content, and how to get the rest', () => {
    const content = Array.from({ length: 13 }, (_, i) => `line ${i + 1}`).join('\n')
    const lines = recordLines(step({ content, meta: {} }), view)
    expect(lines).toHaveLength(1 + MAX_CONTENT_LINES + 1)
    expect(lines.at(-1)).toBe('          … 3 more lines: cairn cas get 0000000000002')
  })
  test('says that there is more when the server cut the content', () => {
    expect(recordLines(step({ contentTruncated: true, meta: {} }), view).at(-1)).toContain('… more: cairn cas get')
  })
  test('cannot write control characters through content, meta or role', () => {
    const lines = recordLines(step({ content: 'a\x1b[2J', meta: { key: '\x1b]0;x\x07' } }), view)
    expect(lines.join('\n')).not.toContain('\x1b')
  })
  test('of another role is left out', () => {
    expect(recordLines(step(), { ...view, role: 'report' })).toEqual([])
  })
})

describe('other records', () => {
  const log: ThreadRecord = { kind: 'log', cursor: '1.1.1', at, seq: 1, level: 'info', tag: null, text: 'hi' }
  test('log lines only with debug', () => {
    expect(recordLines(log, view)).toEqual([])
    expect(recordLines(log, { ...view, debug: true })).toEqual([`${localTime(at)}  info hi`])
  })
  test('the end has the status, the exit code and the summary', () => {
    const end: ThreadRecord = {
      kind: 'end',
      cursor: '4.3.0',
      at,
      hash: '0000000000003',
      status: 'failed',
      returnCode: 124,
      summary: 'Deadline passed.',
      steps: 1,
      durationMs: 61_000,
    }
    expect(recordLines(end, view)).toEqual([
      `${localTime(at)}  failed: 1 step in 1 min 1 s, exit code 124. Deadline passed.`,
    ])
  })
  test('a crash shows with its reason; being claimed does not', () => {
    const status = (type: 'crashed' | 'claimed'): ThreadRecord => ({
      kind: 'status',
      cursor: '1.2.0',
      at,
      seq: 2,
      type,
      status: 'queued',
      actor: 'runner',
      reason: 'worker died',
    })
    expect(recordLines(status('crashed'), view)).toEqual([`${localTime(at)}  crashed: worker died`])
    expect(recordLines(status('claimed'), view)).toEqual([])
  })
})
