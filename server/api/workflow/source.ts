import { z } from 'zod'
import { hashSchema } from '@/server/kernel/ids'
import { bundleSource } from '@/server/registry/source'
import { descriptorSchema } from '@/server/registry/views'
import { procedure } from '../trpc'

export const source = procedure('workflow:read')
  .input(z.strictObject({ hash: hashSchema }))
  .output(z.object({ hash: z.string(), source: z.string(), descriptor: descriptorSchema, size: z.number() }))
  .query(({ ctx, input }) => bundleSource(ctx.db, input.hash))
