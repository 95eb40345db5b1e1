import { z } from 'zod'
import { verifyThread } from '@/server/cas/verify'
import { threadIdSchema } from '@/server/kernel/ids'
import { verifyReportSchema } from '@/server/threads/views'
import { procedure } from '../trpc'

/** Recomputes every hash and digest of the thread's history from the stored bytes. */
export const verify = procedure('thread:read')
  .input(z.strictObject({ id: threadIdSchema }))
  .output(verifyReportSchema)
  .query(({ ctx, input }) => verifyThread(ctx.db, input.id))
