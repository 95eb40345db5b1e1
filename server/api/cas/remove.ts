import { z } from 'zod'
import { removeObject } from '@/server/cas/remove'
import { hashSchema } from '@/server/kernel/ids'
import { procedure } from '../trpc'

/** Deletes an object that nothing refers to, without waiting for garbage collection. */
export const remove = procedure('cas:collect')
  .input(z.strictObject({ hash: hashSchema }))
  .output(z.object({ hash: z.string() }))
  .mutation(({ ctx, input }) => removeObject(ctx.db, input.hash, ctx.actor))
