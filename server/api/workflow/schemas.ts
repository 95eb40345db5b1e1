import { z } from 'zod'
import { workflowNameSchema } from '@/server/kernel/ids'

/** A bundle as its author hands it in. The size bound of the registry is in bytes and is checked there. */
export const bundleInput = {
  name: workflowNameSchema,
  fileName: z.string().min(1).max(255),
  source: z.string(),
}

export const noteSchema = z.string().trim().max(2_000)

/** `version` of the workflow that the caller saw: the command is refused when another one came between. */
export const expectedVersionSchema = z.number().int().nonnegative()

export const bundleFindingSchema = z.object({
  line: z.number().optional(),
  column: z.number().optional(),
  message: z.string(),
})
