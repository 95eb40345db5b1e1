import { z } from 'zod'
import { streamOf } from '../stream-output'
import { procedure } from '../trpc'

/** A tick when any thread changed, at most two a second: the caller then asks for its list again. */
export const watchList = procedure('thread:read')
  .input(z.strictObject({}))
  .output(streamOf(z.object({ at: z.string() })))
  .subscription(({ ctx, signal }) => ctx.hub.watchAll(signal))
