import { AppError } from '@/server/kernel/errors'
import type { WorkflowLimits } from '@/server/threads/limits'
import type { Grants } from './views'

/** A workflow as its events leave it. */
export type WorkflowState = {
  current: string
  state: 'active' | 'removed'
  /** `seq` of its newest event. */
  version: number
  grants: Grants
  /** Bounds that an operator set for it; what is not set has its default. */
  limits: WorkflowLimits
}

/** What an event says; who, when and for which workflow are added where it is stored. `before` and `after` are hashes. */
export type Change =
  | { type: 'added' | 'promoted' | 'rolled_back' | 'removed' | 'restored'; before: string | null; after: string }
  | { type: 'granted'; before: string; after: string; grants: Grants }
  | { type: 'limited'; before: string; after: string; limits: WorkflowLimits }

/** The newest event, for the message of a conflict. */
export type LastEvent = { type: string; actor: string; note: string | null; at: Date; after: string | null }

const NO_GRANTS: Grants = { exec: [] }

/** Adding what is current already changes nothing. `grants`, where given, replace what was granted. */
export function decideAdd(now: WorkflowState | null, command: { hash: string; grants: Grants | null }): Change[] {
  if (now?.state === 'removed') throw removed()
  const { hash, grants } = command
  const changes: Change[] = now?.current === hash ? [] : [{ type: 'added', before: now?.current ?? null, after: hash }]
  if (grants && !sameGrants(grants, now?.grants ?? NO_GRANTS)) {
    changes.push({ type: 'granted', before: hash, after: hash, grants })
  }
  return changes
}

/** `target` is the version named, or the one before the current one: null when there is none. */
export function decideRollback(now: WorkflowState, target: string | null): Change[] {
  if (now.state === 'removed') throw removed()
  if (target === null) {
    throw new AppError(
      'CONFLICT',
      `${now.current} is the first version: there is nothing before it. Name a version to go to another one.`,
      { current: now.current },
    )
  }
  if (target === now.current) {
    throw new AppError('CONFLICT', `${target} is the current version already. Name another one.`, { current: target })
  }
  return [{ type: 'rolled_back', before: now.current, after: target }]
}

/** Grants replace what was granted; the same grants again change nothing. */
export function decideGrant(now: WorkflowState, grants: Grants): Change[] {
  if (now.state === 'removed') throw removed()
  if (sameGrants(grants, now.grants)) return []
  return [{ type: 'granted', before: now.current, after: now.current, grants }]
}

/** Limits replace what was set; the same limits again change nothing. Both are in the form of `normaliseLimits`. */
export function decideLimit(now: WorkflowState, limits: WorkflowLimits): Change[] {
  if (now.state === 'removed') throw removed()
  if (JSON.stringify(limits) === JSON.stringify(now.limits)) return []
  return [{ type: 'limited', before: now.current, after: now.current, limits }]
}

/** The state after an event with this `seq`. */
export function evolve(now: WorkflowState | null, change: Change, seq: number): WorkflowState {
  return {
    current: change.after,
    state: stateAfter(now, change),
    version: seq,
    grants: change.type === 'granted' ? change.grants : (now?.grants ?? NO_GRANTS),
    limits: change.type === 'limited' ? change.limits : (now?.limits ?? {}),
  }
}

function stateAfter(now: WorkflowState | null, { type }: Change): WorkflowState['state'] {
  if (type === 'removed') return 'removed'
  return type === 'restored' ? 'active' : (now?.state ?? 'active')
}

/** Refuses a command that was given on the sight of another version than there is now. */
export function expectVersion(
  name: string,
  now: WorkflowState | null,
  expected: number | undefined,
  last: LastEvent | null,
): void {
  const version = now?.version ?? 0
  if (expected === undefined || expected === version) return
  const what = last ? ` ${describeEvent(last)}` : ' It does not exist.'
  throw new AppError(
    'CONFLICT',
    `Workflow ${name} is at version ${version}, not at ${expected}.${what} Look at its history, then try again.`,
    { current: String(version) },
  )
}

/** "key:ci rolled back to 0K3… at 2026-01-02T03:04:05.000Z (broken build)." */
function describeEvent({ type, actor, note, at, after }: LastEvent): string {
  const verb: Record<string, string> = {
    added: `added ${after}`,
    promoted: `promoted ${after}`,
    rolled_back: `rolled back to ${after}`,
    removed: 'removed it',
    restored: 'restored it',
    granted: 'changed what it may do',
    limited: 'changed its limits',
  }
  return `${actor} ${verb[type] ?? type} at ${at.toISOString()}${note ? ` (${note})` : ''}.`
}

function removed(): AppError<'CONFLICT'> {
  return new AppError('CONFLICT', 'This workflow was removed: restore it first.', { current: 'removed' })
}

function sameGrants(a: Grants, b: Grants): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
