import { z } from 'zod'
import { hashSchema } from '@/server/kernel/ids'
import { bundleDescriptor } from '@/server/registry/source'
import { descriptorSchema } from '@/server/registry/views'
import { procedure } from '../trpc'

/** What a version says of itself: a thread's page draws its graph from it, also after the workflow moved on. */
export const descriptor = procedure('workflow:read')
  .input(z.strictObject({ hash: hashSchema }))
  .output(z.object({ hash: z.string(), descriptor: descriptorSchema }))
  .query(({ ctx, input }) => bundleDescriptor(ctx.db, input.hash))
