import { z } from 'zod'
import { nameSchema } from '@/server/kernel/ids'

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
  /** Threads that start one another: a thread that nobody started has depth 0. */
  maxDepth: { default: 3, ceiling: 32 },
  /** Threads of one workflow that run at once, over all runners. Without a setting only the runners' capacities bound it. */
  concurrency: { default: 10_000, ceiling: 10_000 },
  /** Queued threads of one workflow: what is started above it is dropped, with the reason. */
  queueDepth: { default: 100, ceiling: 1_000_000 },
} as const satisfies Record<string, { default: number; ceiling: number }>

export type BoundName = keyof typeof BOUNDS
export type Limits = { [B in BoundName]: number }

const fields = Object.fromEntries(
  Object.entries(BOUNDS).map(([name, bound]) => [name, z.number().int().positive().max(bound.ceiling).optional()]),
)
/** What an operator sets for a workflow: bounds (every one optional, none above its ceiling) and how its threads queue. */
export const workflowLimitsSchema = z.strictObject({
  ...(fields as { [B in BoundName]: z.ZodOptional<z.ZodNumber> }),
  /** At the bound concurrency: `queue` (up to queueDepth), or `drop` at once. Default `queue`. */
  overflow: z.enum(['queue', 'drop']).optional(),
  /** Threads of higher priority are claimed first. Default 0. */
  priority: z.number().int().min(-1000).max(1000).optional(),
  /** Only runners that have all of these labels take its threads. */
  labels: z.array(nameSchema).max(20).optional(),
})
export type WorkflowLimits = z.infer<typeof workflowLimitsSchema>

/** The bounds in force for a workflow with these settings. */
export function limitsWith(settings: WorkflowLimits): Limits {
  const bounds = Object.entries(BOUNDS).map(([name, bound]) => [name, settings[name as BoundName] ?? bound.default])
  // One number for each name of BOUNDS.
  return Object.fromEntries(bounds) as Limits
}
