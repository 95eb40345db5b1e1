import { z } from 'zod'
import { threadIdSchema } from '@/server/kernel/ids'
import { compareThreads } from '@/server/threads/compare'
import { comparisonSchema } from '@/server/threads/views'
import { limitSchema } from '../paging'
import { procedure } from '../trpc'

/** Where two threads part, and their steps from there on. `after`: the `next` of the page before. */
export const compare = procedure('thread:read')
  .input(
    z.strictObject({
      a: threadIdSchema,
      b: threadIdSchema,
      after: z.number().int().min(0).optional(),
      limit: limitSchema.default(50),
    }),
  )
  .output(comparisonSchema)
  .query(({ ctx, input }) => compareThreads(ctx.db, input))
