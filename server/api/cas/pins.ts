import { z } from 'zod'
import { listPins } from '@/server/cas/pins'
import { limitSchema, pageCursorSchema, pageOf } from '../paging'
import { procedure } from '../trpc'

const pinSchema = z.object({
  hash: z.string(),
  owner: z.string(),
  note: z.string().nullable(),
  createdAt: z.string(),
  type: z.string().nullable(),
  /** Bytes. */
  size: z.number().nullable(),
})

export const pins = procedure('cas:read')
  .input(z.strictObject({ cursor: pageCursorSchema.optional(), limit: limitSchema.default(50) }))
  .output(pageOf(pinSchema))
  .query(({ ctx, input }) => listPins(ctx.db, input))
