import { z } from 'zod'

/** Items of one page, at most. */
export const limitSchema = z.number().int().min(1).max(200)

/** An opaque position that an earlier page gave as `nextCursor`. */
export const pageCursorSchema = z.string().min(1).max(200)

export function pageOf<S extends z.ZodType>(item: S) {
  return z.object({ items: z.array(item), nextCursor: z.string().nullable() })
}
