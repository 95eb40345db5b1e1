import { z } from 'zod'
import { threadIdSchema } from '@/server/kernel/ids'
import { getThread } from '@/server/threads/get'
import { threadDetailSchema } from '@/server/threads/views'
import { procedure } from '../trpc'

export const get = procedure('thread:read')
  .input(z.strictObject({ id: threadIdSchema }))
  .output(threadDetailSchema)
  .query(({ ctx, input }) => getThread(ctx.db, input.id))
