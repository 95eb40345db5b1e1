import { z } from 'zod'
import { threadIdSchema } from '@/server/kernel/ids'
import { waitViewSchema } from '@/server/threads/views'
import { listWaits } from '@/server/threads/waits'
import { procedure } from '../trpc'

/** Newest first. */
export const waits = procedure('thread:read')
  .input(z.strictObject({ id: threadIdSchema }))
  .output(z.object({ items: z.array(waitViewSchema) }))
  .query(({ ctx, input }) => listWaits(ctx.db, input.id))
