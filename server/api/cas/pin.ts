import { z } from 'zod'
import { pinObject } from '@/server/cas/pins'
import { hashSchema } from '@/server/kernel/ids'
import { procedure } from '../trpc'
import { noteSchema } from '../workflow/schemas'

/** Keeps an object, with everything below it, from garbage collection. Again: gives the pin another note. */
export const pin = procedure('cas:write')
  .input(z.strictObject({ hash: hashSchema, note: noteSchema.optional() }))
  .output(z.object({ hash: z.string(), owner: z.string() }))
  .mutation(({ ctx, input }) => pinObject(ctx.db, input, ctx.actor))
