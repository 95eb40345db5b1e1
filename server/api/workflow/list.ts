import { z } from 'zod'
import { listWorkflows } from '@/server/registry/list'
import { workflowSummarySchema } from '@/server/registry/views'
import { limitSchema, pageCursorSchema, pageOf } from '../paging'
import { procedure } from '../trpc'

/** By name. */
export const list = procedure('workflow:read')
  .input(z.strictObject({ cursor: pageCursorSchema.optional(), limit: limitSchema.default(50) }))
  .output(pageOf(workflowSummarySchema))
  .query(({ ctx, input }) => listWorkflows(ctx.db, input))
