import { z } from 'zod'
import { workflowNameSchema } from '@/server/kernel/ids'
import { grantWorkflow } from '@/server/registry/grant'
import { grantsSchema } from '@/server/registry/views'
import { procedure } from '../trpc'
import { expectedVersionSchema } from './schemas'

/** Replaces what the workflow may do. */
export const grant = procedure('workflow:grant')
  .input(
    z.strictObject({
      name: workflowNameSchema,
      grants: grantsSchema,
      expectedVersion: expectedVersionSchema.optional(),
    }),
  )
  .output(z.object({ name: z.string(), grants: grantsSchema, version: z.number() }))
  .mutation(({ ctx, input }) => grantWorkflow(ctx.db, input, ctx.actor))
