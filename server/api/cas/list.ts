import { z } from 'zod'
import { listObjects } from '@/server/cas/store'
import { limitSchema, pageCursorSchema, pageOf } from '../paging'
import { procedure } from '../trpc'
import { objectHeadSchema, objectTypeSchema } from './schemas'

export const list = procedure('cas:read')
  .input(
    z.strictObject({
      type: objectTypeSchema.optional(),
      cursor: pageCursorSchema.optional(),
      limit: limitSchema.default(50),
    }),
  )
  .output(pageOf(objectHeadSchema))
  .query(({ ctx, input }) => listObjects(ctx.db, input))
