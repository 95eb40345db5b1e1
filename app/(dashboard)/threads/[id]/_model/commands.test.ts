import { describe, expect, it } from 'vitest'
import { THREAD_STATUSES, type ThreadStatus } from '@/server/threads/status'
import { commandsFor, effectOf, isCurrent } from './commands'

const named = (status: ThreadStatus, control: 'pause' | 'kill' | null = null) =>
  commandsFor(status, control).map((offer) => offer.command)

describe('commandsFor', () => {
  it('offers in each status the commands that have an effect there', () => {
    expect(Object.fromEntries(THREAD_STATUSES.map((status) => [status, named(status)]))).toEqual({
      queued: ['pause', 'kill', 'remove'],
      running: ['pause', 'kill'],
      paused: ['resume', 'kill', 'remove'],
      waiting: ['pause', 'kill', 'remove'],
      completed: ['remove'],
      failed: ['retry', 'remove'],
      killed: ['retry', 'remove'],
      dropped: ['remove'],
    })
  })

  it('lets a pause that is asked for be taken back, and does not ask twice for a kill', () => {
    expect(named('running', 'pause')).toEqual(['resume', 'kill'])
    expect(named('running', 'kill')).toEqual([])
  })
})

describe('effectOf', () => {
  const pause = { command: 'pause', effect: 'requested' } as const
  const kill = { command: 'kill', effect: 'requested' } as const

  it('says nothing while the command is still asked of the thread', () => {
    expect(effectOf(pause, 'running', 'pause')).toBeNull()
    expect(effectOf(kill, 'running', 'kill')).toBeNull()
  })

  it('says what came of it: the wanted status, an end that came first, or that it was taken back', () => {
    expect(effectOf(pause, 'paused', null)).toContain('paused')
    expect(effectOf(kill, 'killed', null)).toContain('killed')
    expect(effectOf(pause, 'completed', null)).toBe('It was completed before it could be paused.')
    expect(effectOf(pause, 'running', null)).toBe('The pause was taken back.')
  })

  it('tells of a resume only when the thread is paused no more', () => {
    const resume = { command: 'resume', effect: 'done' } as const
    expect(effectOf(resume, 'paused', null)).toBeNull()
    expect(effectOf(resume, 'queued', null)).toContain('Resumed')
  })
})

describe('isCurrent', () => {
  const done = { text: '' } as const

  it('what came of a pause is told while the thread is paused, and not when somebody killed it then', () => {
    const paused = { ...done, sent: { command: 'pause', effect: 'done' }, status: 'paused' } as const
    expect(isCurrent(paused, 'paused')).toBe(true)
    expect(isCurrent(paused, 'killed')).toBe(false)
  })

  it('a thread that was resumed or retried may be queued or run, until it stops again', () => {
    const resumed = { ...done, sent: { command: 'resume', effect: 'done' }, status: 'queued' } as const
    expect(isCurrent(resumed, 'running')).toBe(true)
    expect(isCurrent(resumed, 'completed')).toBe(false)
  })
})
