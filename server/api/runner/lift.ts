import { z } from 'zod'
import { hashSchema } from '@/server/kernel/ids'
import { liftBundle } from '@/server/ops/quarantines'
import { procedure } from '../trpc'
import { noteSchema } from '../workflow/schemas'

/** Ends the quarantine of a version. */
export const lift = procedure('runner:manage')
  .input(z.strictObject({ bundle: hashSchema, note: noteSchema.optional() }))
  .output(z.object({ bundle: z.string() }))
  .mutation(({ ctx, input }) => liftBundle(ctx.db, input, ctx.actor))
