import { z } from 'zod'
import { listGcRuns } from '@/server/cas/gc/list-runs'
import { gcRunSchema } from '@/server/cas/gc/run'
import { procedure } from '../trpc'

const MAX_RUNS = 100

/** The newest collections, newest first, dry runs included. */
export const gcRuns = procedure('cas:read')
  .input(z.strictObject({}))
  .output(z.object({ items: z.array(gcRunSchema) }))
  .query(async ({ ctx }) => ({ items: await listGcRuns(ctx.db, MAX_RUNS) }))
