import { z } from 'zod'
import { workflowNameSchema } from '@/server/kernel/ids'
import { limitWorkflow } from '@/server/registry/limit'
import { workflowLimitsSchema } from '@/server/threads/limits'
import { procedure } from '../trpc'
import { expectedVersionSchema, noteSchema } from './schemas'

/** Replaces the bounds set for the workflow; what is left out has its default again. */
export const limits = procedure('workflow:limits')
  .input(
    z.strictObject({
      name: workflowNameSchema,
      limits: workflowLimitsSchema,
      note: noteSchema.optional(),
      expectedVersion: expectedVersionSchema.optional(),
    }),
  )
  .output(z.object({ name: z.string(), limits: workflowLimitsSchema, version: z.number() }))
  .mutation(({ ctx, input }) => limitWorkflow(ctx.db, input, ctx.actor))
