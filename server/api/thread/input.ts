import { z } from 'zod'
import { hashSchema, nameSchema, threadIdSchema } from '@/server/kernel/ids'
import { jsonSchema } from '@/server/kernel/json'
import { giveInput } from '@/server/threads/input'
import { THREAD_STATUSES } from '@/server/threads/status'
import { procedure } from '../trpc'

/** Answers what the thread waits for, or is kept for a wait to come. `wait`: answers that one, or nothing. */
export const input = procedure('thread:operate')
  .input(
    z.strictObject({
      id: threadIdSchema,
      value: jsonSchema,
      name: nameSchema.optional(),
      subject: hashSchema.optional(),
      wait: z.string().min(1).max(100).optional(),
    }),
  )
  .output(
    z.object({
      effect: z.enum(['answered', 'stored']),
      wait: z.string().nullable(),
      status: z.enum(THREAD_STATUSES),
    }),
  )
  .mutation(({ ctx, input: given }) => giveInput(ctx.db, given, ctx.actor))
