import { z } from 'zod'
import { threadIdSchema } from '@/server/kernel/ids'
import { rebuild as rebuildProjections, rebuildReportSchema } from '@/server/ops/rebuild/rebuild'
import { procedure } from '../trpc'

/** Compares threads and workflows with their nodes and events; with `apply`, writes what differs. In slices: see `next`. */
export const rebuild = procedure('system:manage')
  .input(z.strictObject({ apply: z.boolean(), after: threadIdSchema.optional() }))
  .output(rebuildReportSchema)
  .mutation(({ ctx, input }) => rebuildProjections(ctx.db, input))
