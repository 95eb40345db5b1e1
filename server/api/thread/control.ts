import { z } from 'zod'
import { threadIdSchema } from '@/server/kernel/ids'
import { CONTROL_WAIT_MS, controlThread } from '@/server/threads/control/control'
import { THREAD_STATUSES } from '@/server/threads/status'
import { procedure } from '../trpc'
import { reasonSchema } from './reason'

/** With `waitMs`, answers when the runner has done it, or the time is over. */
export const control = procedure('thread:operate')
  .input(
    z.strictObject({
      id: threadIdSchema,
      command: z.enum(['pause', 'resume', 'kill']),
      reason: reasonSchema.optional(),
      waitMs: z.number().int().min(0).max(CONTROL_WAIT_MS).optional(),
    }),
  )
  .output(
    z.object({
      effect: z.enum(['done', 'requested']),
      status: z.enum(THREAD_STATUSES),
      control: z.enum(['pause', 'kill']).nullable(),
    }),
  )
  .mutation(({ ctx, input }) => controlThread(ctx.db, input, ctx.actor))
