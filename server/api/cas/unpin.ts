import { z } from 'zod'
import { unpinObject } from '@/server/cas/pins'
import { hashSchema } from '@/server/kernel/ids'
import { procedure } from '../trpc'

/** Takes the caller's pin away; those of others stay. */
export const unpin = procedure('cas:write')
  .input(z.strictObject({ hash: hashSchema }))
  .output(z.object({ hash: z.string() }))
  .mutation(({ ctx, input }) => unpinObject(ctx.db, input.hash, ctx.actor))
