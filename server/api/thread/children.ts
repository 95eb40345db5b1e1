import { z } from 'zod'
import { threadIdSchema } from '@/server/kernel/ids'
import { listChildren } from '@/server/threads/lineage'
import { childSchema } from '@/server/threads/views'
import { limitSchema, pageOf } from '../paging'
import { procedure } from '../trpc'

/** Newest first. The cursor is the id of the last thread of the page before. */
export const children = procedure('thread:read')
  .input(z.strictObject({ id: threadIdSchema, cursor: threadIdSchema.optional(), limit: limitSchema.default(50) }))
  .output(pageOf(childSchema))
  .query(({ ctx, input }) => listChildren(ctx.db, input))
