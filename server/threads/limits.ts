import { z } from 'zod'

/**
 * The engine's bounds: a default, a setting a workflow (`workflows.limits`, these names) and a ceiling that no setting
 * passes. An error that enforces one names it.
 */
export const BOUNDS = {
  /** Steps of a thread. */
  maxRounds: { default: 100, ceiling: 100_000 },
  /** Wall time of a thread from its first claim. */
  threadSeconds: { default: 24 * 3600, ceiling: 30 * 24 * 3600 },
  /** Wall time of one role. */
  roleSeconds: { default: 300, ceiling: 24 * 3600 },
  /** Time a role has to react to its abort before its worker is ended. */
  abortGraceSeconds: { default: 2, ceiling: 60 },
  /** UTF-8 bytes of one content node. */
  contentBytes: { default: 8 * 1024 * 1024, ceiling: 64 * 1024 * 1024 },
  /** Resident memory of a worker process. */
  workerMegabytes: { default: 512, ceiling: 8192 },
  /** Bytes that `exec` keeps of stdout, and of stderr. */
  commandOutputBytes: { default: 10 * 1024 * 1024, ceiling: 64 * 1024 * 1024 },
  /** Crashes in a row, without a new node, before a thread gives up with 255. */
  crashes: { default: 5, ceiling: 100 },
  /** Bytes of log text kept of a thread. */
  logBytes: { default: 4 * 1024 * 1024, ceiling: 64 * 1024 * 1024 },
} as const satisfies Record<string, { default: number; ceiling: number }>

export type BoundName = keyof typeof BOUNDS
export type Limits = { [B in BoundName]: number }

const fields = Object.fromEntries(
  Object.entries(BOUNDS).map(([name, bound]) => [name, z.number().int().positive().max(bound.ceiling).optional()]),
)
/** Overrides of a workflow: every field optional, none above its ceiling. */
export const limitOverridesSchema = z.strictObject(fields) as z.ZodType<Partial<Limits>>

/** The bounds in force for a workflow with these overrides. */
export function limitsWith(overrides: Partial<Limits>): Limits {
  const defaults = Object.fromEntries(Object.entries(BOUNDS).map(([name, bound]) => [name, bound.default])) as Limits
  return { ...defaults, ...overrides }
}
