import { z } from 'zod'
import { hashSchema, nameSchema, threadIdSchema } from '@/server/kernel/ids'
import { jsonObjectSchema, jsonSchema } from '@/server/kernel/json'
import { forkThread } from '@/server/threads/fork'
import { BOUNDS } from '@/server/threads/limits'
import { THREAD_STATUSES } from '@/server/threads/status'
import { procedure } from '../trpc'
import { reasonSchema } from './reason'
import { promptSchema, tagsSchema, workflowReference } from './start'

/** `step` 0 is the beginning; `run` counts from 1, and its default is the last one. */
const forkPointSchema = z.union([
  z.strictObject({ step: z.number().int().min(0) }),
  z.strictObject({ hash: hashSchema }),
  z.strictObject({ role: nameSchema, run: z.number().int().min(1).optional() }),
])

const overridesSchema = z.strictObject({
  prompt: promptSchema.optional(),
  input: jsonSchema.optional(),
  workflow: workflowReference.optional(),
  maxRounds: z.number().int().min(1).max(BOUNDS.maxRounds.ceiling).optional(),
  step: z
    .strictObject({
      role: nameSchema,
      content: z.string(),
      meta: jsonObjectSchema,
      refs: z.array(hashSchema).max(1000).optional(),
    })
    .optional(),
})

/** Without `at`, all steps but the last are shared. */
export const fork = procedure('thread:operate')
  .input(
    z.strictObject({
      id: threadIdSchema,
      at: forkPointSchema.optional(),
      overrides: overridesSchema.optional(),
      tags: tagsSchema.optional(),
      reason: reasonSchema.optional(),
    }),
  )
  .output(z.object({ id: z.string(), status: z.enum(THREAD_STATUSES), head: z.string(), sharedSteps: z.number() }))
  .mutation(({ ctx, input }) => forkThread(ctx.db, input, ctx.actor))
