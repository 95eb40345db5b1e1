import { z } from 'zod'
import { checkInvariants, invariantReportSchema } from '@/server/ops/invariants/check-invariants'
import { procedure } from '../trpc'

/** Whether everything holds that must, proved from the tables. `deep` looks at every thread and every object. */
export const invariants = procedure('system:read')
  .input(z.strictObject({ deep: z.boolean().default(false) }))
  .output(invariantReportSchema)
  .query(({ ctx, input }) => checkInvariants(ctx.db, input))
