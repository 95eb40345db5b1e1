import { z } from 'zod'
import { threadIdSchema } from '@/server/kernel/ids'
import { callStack as readCallStack } from '@/server/threads/lineage'
import { callerSchema, childTreeSchema } from '@/server/threads/views'
import { procedure } from '../trpc'

/** Callers, the outermost first, and the tree of what was called. */
export const callStack = procedure('thread:read')
  .input(z.strictObject({ id: threadIdSchema }))
  .output(z.object({ up: z.array(callerSchema), down: z.array(childTreeSchema) }))
  .query(({ ctx, input }) => readCallStack(ctx.db, input.id))
