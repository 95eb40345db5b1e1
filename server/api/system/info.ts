import { z } from 'zod'
import { systemInfo, systemInfoSchema } from '@/server/ops/info'
import { procedure } from '../trpc'

export const info = procedure('system:read')
  .input(z.strictObject({}))
  .output(systemInfoSchema)
  .query(({ ctx }) => systemInfo(ctx.db, ctx.embedded))
