import { z } from 'zod'
import { workflowNameSchema } from '@/server/kernel/ids'
import { workflowHistory } from '@/server/registry/history'
import { registryEventSchema } from '@/server/registry/views'
import { limitSchema, pageCursorSchema, pageOf } from '../paging'
import { procedure } from '../trpc'

/** Newest first. */
export const history = procedure('workflow:read')
  .input(
    z.strictObject({
      name: workflowNameSchema,
      cursor: pageCursorSchema.optional(),
      limit: limitSchema.default(50),
    }),
  )
  .output(pageOf(registryEventSchema))
  .query(({ ctx, input }) => workflowHistory(ctx.db, input))
