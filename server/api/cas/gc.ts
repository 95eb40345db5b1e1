import { z } from 'zod'
import { gcRunSchema } from '@/server/cas/gc/run'
import { startCollection } from '@/server/cas/gc/start-collection'
import { procedure } from '../trpc'

/** The answer comes after this at the latest, with the run as it is then; it goes on, and `cas.gcRuns` lists it. */
const WAIT_MS = 20_000

/** Collects garbage. With `dryRun` it counts what would go. One that was interrupted while it deleted is gone on with. */
export const gc = procedure('cas:collect')
  .input(z.strictObject({ dryRun: z.boolean(), graceSeconds: z.number().int().optional() }))
  .output(gcRunSchema)
  .mutation(({ ctx, input }) => startCollection(ctx.db, input, ctx.actor, WAIT_MS))
