import { z } from 'zod'
import { threadIdSchema } from '@/server/kernel/ids'
import { removeThread } from '@/server/threads/control/remove'
import { procedure } from '../trpc'
import { reasonSchema } from './reason'

/** Its nodes stay until they are collected. */
export const remove = procedure('thread:remove')
  .input(z.strictObject({ id: threadIdSchema, reason: reasonSchema.optional() }))
  .output(z.object({ effect: z.literal('done') }))
  .mutation(({ ctx, input }) => removeThread(ctx.db, input, ctx.actor))
