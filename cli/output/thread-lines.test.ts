import { expect, test } from 'vitest'
import type { ThreadDetail, WaitView } from '@/server/threads/views'
import { printable } from './terminal'
import { threadLines } from './thread-lines'
import { localDateTime } from './units'

const at = '2026-03-01T12:00:05.000Z'
const detail = (over: Partial<ThreadDetail> = {}): ThreadDetail => ({
  id: '01J00000000000000000000000',
  workflow: 'hello',
  bundle: '0K3V7Z2M9Q4TX',
  status: 'running',
  control: null,
  steps: 2,
  excerpt: 'do it',
  tags: [],
  actor: 'ada',
  origin: 'cli',
  attempt: 1,
  runner: null,
  returnCode: null,
  summary: null,
  createdAt: at,
  startedAt: at,
  finishedAt: null,
  updatedAt: at,
  start: 'S',
  head: 'H',
  height: 2,
  prompt: 'do it',
  input: null,
  depth: 0,
  parentThread: null,
  sourceThread: null,
  maxRounds: null,
  deadlineAt: null,
  dryRun: false,
  controlActor: null,
  controlReason: null,
  waiting: null,
  queued: null,
  forkedAt: null,
  labels: [],
  permissions: [],
  priority: 0,
  crashes: 0,
  idleMs: 0,
  ...over,
})
const wait = (over: Partial<WaitView> = {}): WaitView => ({
  key: 'K',
  kind: 'input',
  status: 'open',
  name: 'input',
  prompt: 'Ship it?',
  schema: { type: 'boolean' },
  subject: null,
  answerers: null,
  wakeAt: null,
  targets: [],
  mode: 'all',
  answer: null,
  answeredBy: null,
  answeredAt: null,
  createdAt: at,
  ...over,
})

test('a thread that just runs has its facts and nothing else', () => {
  expect(threadLines(detail())).toEqual([`running, 2 steps, by ada at ${localDateTime(at)}`, 'start S, head H'])
})

test('a queued thread says why it is not claimed', () => {
  const queued = { code: 'labels' as const, message: 'no runner that is alive has the label gpu' }
  expect(threadLines(detail({ status: 'queued', queued, labels: ['gpu'], priority: -5 }))).toEqual([
    expect.any(String),
    'labels: gpu',
    'priority: -5',
    'start S, head H',
    'queued: no runner that is alive has the label gpu',
  ])
})

test('a thread that waits for an input says what it asks, and the command that answers it', () => {
  const asked = wait({ name: 'approval', subject: 'X', wakeAt: at })
  expect(threadLines(detail({ status: 'waiting', waiting: asked })).slice(2)).toEqual([
    `waits for approval until ${localDateTime(at)}: Ship it?`,
    'asks for {"type":"boolean"}',
    'answer it with: cairn thread input 01J00000000000000000000000 <json> --name approval --subject X',
  ])
})

test('a thread that waits for a time, or for threads, says for which', () => {
  const until = threadLines(detail({ waiting: wait({ kind: 'until', wakeAt: at }) }))
  expect(until.at(-1)).toBe(`waits until ${localDateTime(at)}`)
  const threads = threadLines(detail({ waiting: wait({ kind: 'threads', mode: 'any', targets: ['A', 'B'] }) }))
  expect(threads.at(-1)).toBe('waits for any of A, B')
})

test('a command that is not done yet is told with who gave it and why', () => {
  const asked = detail({ control: 'kill', controlActor: 'bob', controlReason: 'it loops' })
  expect(threadLines(asked).at(-1)).toBe('to kill: asked by bob, because it loops')
})

test('text of a workflow cannot move the cursor or break its line', () => {
  const lines = threadLines(detail({ waiting: wait({ prompt: 'a\n\x1b[2Jb', name: 'n' }) }))
  expect(printable(lines.join(''))).toBe(lines.join(''))
  expect(lines.join('')).not.toContain('\n')
})
