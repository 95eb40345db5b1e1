import { z } from 'zod'
import { addWorkflow } from '@/server/registry/add'
import { grantsSchema } from '@/server/registry/views'
import { procedure } from '../trpc'
import { bundleInput, expectedVersionSchema, noteSchema } from './schemas'

/** Registers a bundle and makes it current. The same bytes again change nothing: `created` is false. */
export const add = procedure('workflow:write')
  .input(
    z.strictObject({
      ...bundleInput,
      types: z.string().optional(),
      note: noteSchema.optional(),
      grants: grantsSchema.optional(),
      expectedVersion: expectedVersionSchema.optional(),
    }),
  )
  .output(
    z.object({
      name: z.string(),
      hash: z.string(),
      version: z.number(),
      created: z.boolean(),
      warnings: z.array(z.string()),
    }),
  )
  .mutation(({ ctx, input }) => addWorkflow(ctx.db, input, ctx.actor))
