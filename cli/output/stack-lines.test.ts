import { expect, test } from 'vitest'
import type { ThreadSummary } from '@/server/threads/views'
import { stackLines } from './stack-lines'

const summary = (id: string, over: Partial<ThreadSummary> = {}): ThreadSummary => ({
  id,
  workflow: 'hello',
  bundle: '0K3V7Z2M9Q4TX',
  status: 'completed',
  control: null,
  steps: 1,
  excerpt: '',
  tags: [],
  actor: 'ada',
  origin: 'thread',
  attempt: 1,
  runner: null,
  returnCode: 0,
  summary: null,
  createdAt: '2026-03-01T12:00:05.000Z',
  startedAt: null,
  finishedAt: null,
  updatedAt: '2026-03-01T12:00:05.000Z',
  ...over,
})

test('a thread that neither calls nor is called has no call stack', () => {
  expect(stackLines({ up: [], down: [] })).toEqual([])
})

test('callers come first, the outermost on top; what was called is a tree below, and says where it is cut', () => {
  const leaf = { thread: summary('D', { summary: 'all\nwell' }), children: [], more: true }
  const lines = stackLines({
    up: [
      { thread: summary('A', { status: 'waiting' }), calledAt: { hash: 'H', step: 3, role: 'plan' } },
      { thread: summary('B'), calledAt: null },
    ],
    down: [{ thread: summary('C'), children: [leaf], more: false }],
  })
  expect(lines).toEqual([
    'called by hello A after step 3 (plan); it is waiting',
    'called by hello B at its start; it is completed',
    'called hello C, completed, 1 step',
    '  called hello D, completed, 1 step: all well',
    '    … more: cairn thread children D',
  ])
})
