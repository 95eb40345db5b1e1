import { z } from 'zod'
import { getObject } from '@/server/cas/store'
import { hashSchema } from '@/server/kernel/ids'
import { procedure } from '../trpc'
import { objectSchema } from './schemas'

export const get = procedure('cas:read')
  .input(z.strictObject({ hash: hashSchema }))
  .output(objectSchema)
  .query(({ ctx, input }) => getObject(ctx.db, input.hash))
