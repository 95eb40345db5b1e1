import { describe, expect, it } from 'vitest'
import {
  decideAdd,
  decideGrant,
  decideLimit,
  decideRollback,
  evolve,
  expectVersion,
  type WorkflowState,
} from './decide'

const git = { exec: [{ command: 'git', folders: [] }] }
const active: WorkflowState = { current: 'A', state: 'active', version: 4, grants: { exec: [] }, limits: {} }
const removed: WorkflowState = { ...active, state: 'removed' }

describe('given a workflow', () => {
  it.each([
    ['none, a bundle is the first', null, { hash: 'A', grants: null }, [{ type: 'added', before: null, after: 'A' }]],
    [
      'another version, it becomes current',
      active,
      { hash: 'B', grants: null },
      [{ type: 'added', before: 'A', after: 'B' }],
    ],
    ['the same version, nothing happens', active, { hash: 'A', grants: null }, []],
    ['the same version and the same grants, nothing happens', active, { hash: 'A', grants: { exec: [] } }, []],
    [
      'the same version and other grants, it is granted',
      active,
      { hash: 'A', grants: git },
      [{ type: 'granted', before: 'A', after: 'A', grants: git }],
    ],
    [
      'another version with grants, both happen',
      active,
      { hash: 'B', grants: git },
      [
        { type: 'added', before: 'A', after: 'B' },
        { type: 'granted', before: 'B', after: 'B', grants: git },
      ],
    ],
  ])('when adding to %s', (_what, now, command, changes) => {
    expect(decideAdd(now, command)).toEqual(changes)
  })

  it('when rolling back, then the target is current; none or the current one is a conflict', () => {
    expect(decideRollback(active, 'B')).toEqual([{ type: 'rolled_back', before: 'A', after: 'B' }])
    expect(() => decideRollback(active, 'A')).toThrow(/current version already/)
    expect(() => decideRollback(active, null)).toThrow(/nothing before it/)
  })

  it('when granting the same, then nothing happens', () => {
    expect(decideGrant({ ...active, grants: git }, git)).toEqual([])
    expect(decideGrant(active, git)).toEqual([{ type: 'granted', before: 'A', after: 'A', grants: git }])
  })

  it('when setting the limits it has, then nothing happens', () => {
    expect(decideLimit({ ...active, limits: { concurrency: 2 } }, { concurrency: 2 })).toEqual([])
    expect(decideLimit({ ...active, limits: { concurrency: 2 } }, {})).toEqual([
      { type: 'limited', before: 'A', after: 'A', limits: {} },
    ])
  })

  it('when it was removed, then every command is a conflict', () => {
    expect(() => decideAdd(removed, { hash: 'B', grants: null })).toThrow(/restore it first/)
    expect(() => decideRollback(removed, 'B')).toThrow(/restore it first/)
    expect(() => decideGrant(removed, git)).toThrow(/restore it first/)
    expect(() => decideLimit(removed, {})).toThrow(/restore it first/)
  })
})

describe('events', () => {
  it('give the state: version is the newest seq, grants and limits stay through versions, removal and restoring', () => {
    let state = evolve(null, { type: 'added', before: null, after: 'A' }, 1)
    state = evolve(state, { type: 'granted', before: 'A', after: 'A', grants: git }, 2)
    state = evolve(state, { type: 'limited', before: 'A', after: 'A', limits: { concurrency: 2 } }, 3)
    state = evolve(state, { type: 'added', before: 'A', after: 'B' }, 5)
    expect(state).toEqual({ current: 'B', state: 'active', version: 5, grants: git, limits: { concurrency: 2 } })
    state = evolve(state, { type: 'removed', before: 'B', after: 'B' }, 6)
    expect(state.state).toBe('removed')
    state = evolve(state, { type: 'restored', before: 'B', after: 'B' }, 7)
    expect(evolve(state, { type: 'rolled_back', before: 'B', after: 'A' }, 8)).toEqual({
      current: 'A',
      state: 'active',
      version: 8,
      grants: git,
      limits: { concurrency: 2 },
    })
  })
})

describe('an expected version', () => {
  const last = { type: 'rolled_back', actor: 'key:ci', note: 'broken', at: new Date(0), after: 'A' }

  it('passes when it is the version, or not given', () => {
    expect(() => expectVersion('w', active, 4, last)).not.toThrow()
    expect(() => expectVersion('w', active, undefined, last)).not.toThrow()
    expect(() => expectVersion('w', null, 0, null)).not.toThrow()
  })

  it('that is another is a conflict which says what happened', () => {
    expect(() => expectVersion('w', active, 3, last)).toThrow(
      'Workflow w is at version 4, not at 3. key:ci rolled back to A at 1970-01-01T00:00:00.000Z (broken). Look at its history, then try again.',
    )
    expect(() => expectVersion('w', null, 3, null)).toThrow(/does not exist/)
  })
})
