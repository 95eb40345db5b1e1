import { z } from 'zod'
import { checkBundle } from '@/server/registry/check'
import { descriptorSchema } from '@/server/registry/views'
import { procedure } from '../trpc'
import { bundleFindingSchema, bundleInput } from './schemas'

/** What `workflow.add` would say of a bundle; stores nothing. A mutation only because a bundle does not fit in a URL. */
export const validate = procedure('workflow:write')
  .input(z.strictObject(bundleInput))
  .output(
    z.object({
      ok: z.boolean(),
      findings: z.array(bundleFindingSchema),
      warnings: z.array(z.string()),
      descriptor: descriptorSchema.optional(),
    }),
  )
  .mutation(({ input }) => checkBundle(input))
