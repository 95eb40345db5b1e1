import { z } from 'zod'
import { nameSchema } from '@/server/kernel/ids'
import { jsonSchema } from '@/server/kernel/json'
import { BOUNDS } from '@/server/threads/limits'
import { startThread } from '@/server/threads/start'
import { THREAD_STATUSES } from '@/server/threads/status'
import { procedure } from '../trpc'

/** A workflow by name runs its current version; `name@hash` runs that one. */
export const workflowReference = z
  .string()
  .max(78)
  .regex(/^[a-z][a-z0-9-]*(@[0-9A-Z]{13})?$/, 'must be the name of a workflow, or name@hash for one version of it')

export const promptSchema = z.string().max(1024 * 1024)
export const tagsSchema = z.array(nameSchema).max(20)

export const start = procedure('thread:operate')
  .input(
    z.strictObject({
      workflow: workflowReference,
      prompt: promptSchema,
      input: jsonSchema.optional(),
      maxRounds: z.number().int().min(1).max(BOUNDS.maxRounds.ceiling).optional(),
      deadlineSeconds: z.number().int().min(1).max(BOUNDS.threadSeconds.ceiling).optional(),
      tags: tagsSchema.optional(),
      dryRun: z.boolean().optional(),
      labels: z.array(nameSchema).max(20).optional(),
      priority: z.number().int().min(-1000).max(1000).optional(),
      idempotencyKey: z.string().min(1).max(200).optional(),
    }),
  )
  .output(
    z.object({
      id: z.string(),
      workflow: z.string(),
      bundle: z.string(),
      status: z.enum(THREAD_STATUSES),
      /** Why it was dropped. */
      why: z.string().nullable(),
    }),
  )
  .mutation(({ ctx, input }) => startThread(ctx.db, input, ctx.actor))
