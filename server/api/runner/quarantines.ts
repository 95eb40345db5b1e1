import { z } from 'zod'
import { listQuarantines, quarantineSchema } from '@/server/ops/quarantines'
import { procedure } from '../trpc'

/** Versions that no runner claims until somebody lifts it, newest first. */
export const quarantines = procedure('runner:read')
  .input(z.strictObject({}))
  .output(z.object({ items: z.array(quarantineSchema) }))
  .query(async ({ ctx }) => ({ items: await listQuarantines(ctx.db) }))
