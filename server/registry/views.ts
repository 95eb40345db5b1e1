import { z } from 'zod'
import { jsonObjectSchema } from '@/server/kernel/json'
import { workflowLimitsSchema } from '@/server/threads/limits'

const graphEdgeSchema = z.object({
  from: z.string(),
  to: z.string(),
  condition: z.string(),
  conditionDescription: z.string().nullable(),
})

export const descriptorSchema = z.object({
  description: z.string(),
  roles: z.record(z.string(), z.object({ description: z.string(), schema: jsonObjectSchema })),
  graph: z.object({ edges: z.array(graphEdgeSchema) }),
  input: jsonObjectSchema.optional(),
  permissions: z.object({ exec: z.array(z.string()).optional() }).optional(),
})
export type Descriptor = z.infer<typeof descriptorSchema>

/** Name of a command that can be asked for and granted: no path, and not a folder's name. */
export const COMMAND_PATTERN = /^(?!\.{1,2}$)[A-Za-z0-9._+-]{1,64}$/

const grantedFolder = z
  .string()
  .min(1)
  .max(4096)
  .regex(/^[^\0\p{Cs}]*$/u, 'must be a path: text without NUL or lone surrogates')

/** What an admin lets a workflow do. */
export const grantsSchema = z.object({
  /** Commands by name, with the folders they may run in; an empty list of folders means any. */
  exec: z
    .array(
      z.object({
        command: z.string().regex(COMMAND_PATTERN, 'must be the name of a command, without a path'),
        folders: z.array(grantedFolder).max(100),
      }),
    )
    .max(100)
    .default([]),
})
export type Grants = z.infer<typeof grantsSchema>

export const workflowSummarySchema = z.object({
  name: z.string(),
  current: z.string(),
  state: z.enum(['active', 'removed']),
  description: z.string(),
  roles: z.number(),
  updatedAt: z.string(),
  /** Ends of its newest threads, newest first, at most 20: a sparkline. */
  recent: z.array(z.object({ id: z.string(), status: z.string() })),
})
export type WorkflowSummary = z.infer<typeof workflowSummarySchema>

export const registryEventSchema = z.object({
  seq: z.number(),
  type: z.enum(['added', 'promoted', 'rolled_back', 'removed', 'restored', 'granted', 'limited']),
  before: z.string().nullable(),
  after: z.string().nullable(),
  actor: z.string(),
  note: z.string().nullable(),
  at: z.string(),
  /** Threads that ran on `after`, and how they ended. */
  threads: z.object({ total: z.number(), completed: z.number(), failed: z.number() }),
})
export type RegistryEvent = z.infer<typeof registryEventSchema>

export const workflowDetailSchema = z.object({
  name: z.string(),
  current: z.string(),
  state: z.enum(['active', 'removed']),
  version: z.number(),
  descriptor: descriptorSchema,
  grants: grantsSchema,
  /** Bounds that are set for it. */
  limits: workflowLimitsSchema,
  /** Permissions asked for and not granted. */
  missingGrants: z.array(z.string()),
  updatedAt: z.string(),
  /** Every bundle ever current, newest first. */
  versions: z.array(
    z.object({
      hash: z.string(),
      size: z.number(),
      addedAt: z.string(),
      addedBy: z.string(),
      note: z.string().nullable(),
      isCurrent: z.boolean(),
    }),
  ),
})
export type WorkflowDetail = z.infer<typeof workflowDetailSchema>
