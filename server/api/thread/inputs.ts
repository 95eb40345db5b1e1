import { z } from 'zod'
import { threadIdSchema } from '@/server/kernel/ids'
import { inputViewSchema } from '@/server/threads/views'
import { listInputs } from '@/server/threads/waits'
import { procedure } from '../trpc'

/** Newest first, with what became of each. */
export const inputs = procedure('thread:read')
  .input(z.strictObject({ id: threadIdSchema }))
  .output(z.object({ items: z.array(inputViewSchema) }))
  .query(({ ctx, input }) => listInputs(ctx.db, input.id))
