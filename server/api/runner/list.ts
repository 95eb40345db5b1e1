import { z } from 'zod'
import { listRunners, runnerViewSchema } from '@/server/ops/runners'
import { procedure } from '../trpc'

/** The runners of the last day, living ones first. */
export const list = procedure('runner:read')
  .input(z.strictObject({}))
  .output(z.object({ items: z.array(runnerViewSchema) }))
  .query(async ({ ctx }) => ({ items: await listRunners(ctx.db) }))
