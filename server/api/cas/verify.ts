import { z } from 'zod'
import { verifyTree } from '@/server/cas/verify'
import { hashSchema } from '@/server/kernel/ids'
import { verifyReportSchema } from '@/server/threads/views'
import { procedure } from '../trpc'

/** Recomputes every hash and digest of the whole tree below the object. */
export const verify = procedure('cas:read')
  .input(z.strictObject({ hash: hashSchema }))
  .output(verifyReportSchema)
  .query(({ ctx, input }) => verifyTree(ctx.db, input.hash))
