import { z } from 'zod'
import { hashSchema, nameSchema } from '@/server/kernel/ids'
import { jsonObjectSchema } from '@/server/kernel/json'

/** What a generator may yield. It came as JSON, so `meta` holds JSON values. */
export const roleOutputSchema = z.object({
  role: nameSchema,
  contentHash: hashSchema,
  meta: jsonObjectSchema,
  refs: z.array(hashSchema).max(1000),
  childThread: hashSchema.nullable().default(null),
})

/** Return codes from 124 up say what the platform did: a bundle cannot claim them. */
export const MAX_BUNDLE_RETURN_CODE = 123
const MAX_SUMMARY_CHARACTERS = 16_384

/** What a generator may return. */
export const completionSchema = z.object({
  returnCode: z.number().int().min(0).max(MAX_BUNDLE_RETURN_CODE),
  summary: z.string().max(MAX_SUMMARY_CHARACTERS),
})

/** One sentence on what does not fit. */
export function whatIsWrong(error: z.ZodError): string {
  return error.issues
    .slice(0, 3)
    .map((issue) => (issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`))
    .join('; ')
}
