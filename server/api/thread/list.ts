import { z } from 'zod'
import { threadIdSchema, workflowNameSchema } from '@/server/kernel/ids'
import { listThreads } from '@/server/threads/list'
import { THREAD_STATUSES } from '@/server/threads/status'
import { threadListItemSchema } from '@/server/threads/views'
import { limitSchema, pageOf } from '../paging'
import { procedure } from '../trpc'

/** Newest first. The cursor is the id of the last thread of the page before. */
export const list = procedure('thread:read')
  .input(
    z.strictObject({
      workflow: workflowNameSchema.optional(),
      status: z.array(z.enum(THREAD_STATUSES)).max(THREAD_STATUSES.length).optional(),
      actor: z.string().min(1).max(200).optional(),
      tag: z.string().min(1).max(64).optional(),
      text: z.string().trim().min(1).max(200).optional(),
      cursor: threadIdSchema.optional(),
      limit: limitSchema.default(50),
    }),
  )
  .output(pageOf(threadListItemSchema))
  .query(({ ctx, input }) => listThreads(ctx.db, input))
