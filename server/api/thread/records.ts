import { z } from 'zod'
import { threadIdSchema } from '@/server/kernel/ids'
import { readRecords } from '@/server/threads/read-records'
import { cursorSchema, threadRecordSchema } from '@/server/threads/records'
import { limitSchema } from '../paging'
import { procedure } from '../trpc'

/** Without `after`, from the beginning. `finished` says that no further record will come. */
export const records = procedure('thread:read')
  .input(z.strictObject({ id: threadIdSchema, after: cursorSchema.optional(), limit: limitSchema.default(100) }))
  .output(z.object({ items: z.array(threadRecordSchema), cursor: cursorSchema, finished: z.boolean() }))
  .query(({ ctx, input }) => readRecords(ctx.db, input.id, input.after ?? null, input.limit))
