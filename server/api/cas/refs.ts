import { z } from 'zod'
import { objectRefs } from '@/server/cas/store'
import { hashSchema } from '@/server/kernel/ids'
import { procedure } from '../trpc'
import { refSchema } from './schemas'

/** What the object points to, and what points to it. */
export const refs = procedure('cas:read')
  .input(z.strictObject({ hash: hashSchema }))
  .output(z.object({ out: z.array(refSchema), in: z.array(refSchema) }))
  .query(({ ctx, input }) => objectRefs(ctx.db, input.hash))
