import { z } from 'zod'
import { threadIdSchema } from '@/server/kernel/ids'
import { readThreadLogs } from '@/server/threads/logs'
import { LOG_LEVELS } from '@/server/threads/status'
import { logLineSchema } from '@/server/threads/views'
import { limitSchema } from '../paging'
import { procedure } from '../trpc'

/** Oldest first; `level` and graver ones. `after`: the `cursor` of the page before. */
export const logs = procedure('thread:read')
  .input(
    z.strictObject({
      id: threadIdSchema,
      after: z.number().int().min(0).optional(),
      level: z.enum(LOG_LEVELS).optional(),
      limit: limitSchema.default(100),
    }),
  )
  .output(z.object({ items: z.array(logLineSchema), cursor: z.number().nullable(), finished: z.boolean() }))
  .query(({ ctx, input }) => readThreadLogs(ctx.db, input))
