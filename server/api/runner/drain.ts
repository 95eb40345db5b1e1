import { z } from 'zod'
import { drainRunner } from '@/server/ops/runners'
import { procedure } from '../trpc'

/** The runner claims nothing more and ends what it holds; `on: false` takes that back. */
export const drain = procedure('runner:manage')
  .input(z.strictObject({ id: z.string().min(1).max(300), on: z.boolean() }))
  .output(z.object({ id: z.string(), draining: z.boolean(), drainedBy: z.string().nullable() }))
  .mutation(({ ctx, input }) => drainRunner(ctx.db, input, ctx.actor))
