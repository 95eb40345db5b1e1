import { z } from 'zod'
import { putBlob, putContent } from '@/server/cas/put'
import { hashSchema } from '@/server/kernel/ids'
import { procedure } from '../trpc'

const textInput = z.strictObject({ text: z.string(), refs: z.array(hashSchema).max(1_000).optional() })
const bytesInput = z.strictObject({
  base64: z.base64(),
  mediaType: z
    .string()
    .max(127)
    .regex(/^[\w.+-]+\/[\w.+-]+$/, 'must be a media type, like image/png'),
})

/** Stores a text as a content node, or bytes as a blob, and gives its address. */
export const put = procedure('cas:write')
  .input(z.union([textInput, bytesInput]))
  .output(z.object({ hash: z.string() }))
  .mutation(async ({ ctx, input }) => ({
    hash:
      'text' in input
        ? await putContent(ctx.db, input.text, input.refs ?? [])
        : await putBlob(ctx.db, Buffer.from(input.base64, 'base64'), input.mediaType),
  }))
