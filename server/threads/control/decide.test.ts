import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isFinished, THREAD_STATUSES, type ThreadStatus } from '../status'
import { COMMANDS, type Command, type ControlState, decide, evolve } from './decide'

/** The table of commands, cell by cell: what is done, or `refuse`. */
const TABLE: Record<Command, Record<ThreadStatus, string>> = {
  pause: {
    queued: 'move paused',
    running: 'ask pause',
    paused: 'nothing',
    waiting: 'move paused',
    completed: 'refuse',
    failed: 'refuse',
    killed: 'refuse',
    dropped: 'refuse',
  },
  resume: {
    queued: 'refuse',
    running: 'refuse',
    paused: 'move queued',
    waiting: 'refuse',
    completed: 'refuse',
    failed: 'refuse',
    killed: 'refuse',
    dropped: 'refuse',
  },
  kill: {
    queued: 'end',
    running: 'ask kill',
    paused: 'end',
    waiting: 'end',
    completed: 'refuse',
    failed: 'refuse',
    killed: 'refuse',
    dropped: 'refuse',
  },
  retry: {
    queued: 'refuse',
    running: 'refuse',
    paused: 'refuse',
    waiting: 'refuse',
    completed: 'refuse',
    failed: 'retry',
    killed: 'retry',
    dropped: 'refuse',
  },
  remove: {
    queued: 'remove',
    running: 'refuse',
    paused: 'remove',
    waiting: 'remove',
    completed: 'remove',
    failed: 'remove',
    killed: 'remove',
    dropped: 'remove',
  },
}

const cells = COMMANDS.flatMap((command) => THREAD_STATUSES.map((status) => [command, status] as const))

describe('what a command does', () => {
  it.each(cells)('%s of a thread that is %s', (command, status) => {
    const decision = decide({ status, control: null }, command)
    expect([decision.do, 'to' in decision ? decision.to : []].flat().join(' ')).toBe(TABLE[command][status])
  })

  it('asks a runner once, takes a pause back, lets a kill replace a pause, and takes no kill back', () => {
    const pausing: ControlState = { status: 'running', control: 'pause' }
    const killing: ControlState = { status: 'running', control: 'kill' }
    expect(decide(pausing, 'pause')).toEqual({ do: 'nothing', effect: 'requested' })
    expect(decide(pausing, 'resume')).toMatchObject({ do: 'ask', to: null, event: 'pause_cancelled', effect: 'done' })
    expect(decide(pausing, 'kill')).toMatchObject({ do: 'ask', to: 'kill', event: 'kill_requested' })
    expect(decide(killing, 'kill')).toEqual({ do: 'nothing', effect: 'requested' })
    expect(decide(killing, 'pause').do).toBe('refuse')
    expect(decide(killing, 'resume').do).toBe('refuse')
  })
})

/** What the engine does to a thread by itself, as far as commands see it. */
const ENGINE = {
  claim: (now: ControlState): ControlState => (now.status === 'queued' ? { ...now, status: 'running' } : now),
  obey: (now: ControlState): ControlState => {
    if (now.status !== 'running' || now.control === null) return now
    return { status: now.control === 'pause' ? 'paused' : 'killed', control: null }
  },
  wait: (now: ControlState): ControlState =>
    now.status === 'running' && now.control === null ? { ...now, status: 'waiting' } : now,
  wake: (now: ControlState): ControlState => (now.status === 'waiting' ? { ...now, status: 'queued' } : now),
  complete: (now: ControlState): ControlState =>
    now.status === 'running' ? { status: 'completed', control: null } : now,
  fail: (now: ControlState): ControlState => (now.status === 'running' ? { status: 'failed', control: null } : now),
}

const move = fc.oneof(
  fc.constantFrom(...COMMANDS),
  fc.constantFrom<keyof typeof ENGINE>('claim', 'obey', 'wait', 'wake', 'complete', 'fail'),
)

describe('any sequence of commands and of what the engine does', () => {
  it('leaves an end by a retry only, asks something of running threads only, and takes no kill back', () => {
    fc.assert(
      fc.property(fc.array(move, { maxLength: 40 }), (moves) => {
        let now: ControlState = { status: 'queued', control: null }
        for (const next of moves) {
          const before: ControlState = now
          const after =
            next in ENGINE ? ENGINE[next as keyof typeof ENGINE](before) : afterCommand(before, next as Command)
          if (after === null) {
            expect(before.status).not.toBe('running')
            return
          }
          now = after
          if (now.control !== null) expect(now.status).toBe('running')
          if (isFinished(before.status) && now.status !== before.status)
            expect([next, now.status]).toEqual(['retry', 'queued'])
          if (before.status === 'completed' || before.status === 'dropped') expect(now).toEqual(before)
          if (before.control === 'kill' && now.status === 'running') expect(now.control).toBe('kill')
        }
      }),
    )
  })

  it('changes nothing where it refuses, and changes nothing the second time', () => {
    const states = fc.record({
      status: fc.constantFrom(...THREAD_STATUSES),
      control: fc.constantFrom(null, 'pause' as const, 'kill' as const),
    })
    fc.assert(
      fc.property(states, fc.constantFrom('pause' as const, 'kill' as const), (state, command) => {
        const now = state.status === 'running' ? state : { ...state, control: null }
        const after = afterCommand(now, command)
        if (decide(now, command).do === 'refuse') expect(after).toEqual(now)
        if (after !== null) expect(afterCommand(after, command)).toEqual(after)
      }),
    )
  })
})

function afterCommand(now: ControlState, command: Command): ControlState | null {
  return evolve(now, decide(now, command))
}
