import { z } from 'zod'
import { workflowNameSchema } from '@/server/kernel/ids'
import { getWorkflow } from '@/server/registry/get'
import { workflowDetailSchema } from '@/server/registry/views'
import { procedure } from '../trpc'

export const get = procedure('workflow:read')
  .input(z.strictObject({ name: workflowNameSchema }))
  .output(workflowDetailSchema)
  .query(({ ctx, input }) => getWorkflow(ctx.db, input.name))
