import { z } from 'zod'
import { threadIdSchema } from '@/server/kernel/ids'
import { retryThread } from '@/server/threads/control/retry'
import { procedure } from '../trpc'
import { reasonSchema } from './reason'

/** A thread that failed or was killed goes on where it ended. */
export const retry = procedure('thread:operate')
  .input(z.strictObject({ id: threadIdSchema, reason: reasonSchema.optional() }))
  .output(z.object({ effect: z.literal('done'), status: z.literal('queued') }))
  .mutation(({ ctx, input }) => retryThread(ctx.db, input, ctx.actor))
