import { z } from 'zod'
import { hashSchema, workflowNameSchema } from '@/server/kernel/ids'
import { rollbackWorkflow } from '@/server/registry/rollback'
import { procedure } from '../trpc'
import { expectedVersionSchema, noteSchema } from './schemas'

/** Makes the version before the current one current, or the one named by `hash`. */
export const rollback = procedure('workflow:write')
  .input(
    z.strictObject({
      name: workflowNameSchema,
      hash: hashSchema.optional(),
      note: noteSchema.optional(),
      expectedVersion: expectedVersionSchema.optional(),
    }),
  )
  .output(z.object({ name: z.string(), from: z.string(), to: z.string(), version: z.number() }))
  .mutation(({ ctx, input }) => rollbackWorkflow(ctx.db, input, ctx.actor))
