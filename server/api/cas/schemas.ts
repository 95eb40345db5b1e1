import { z } from 'zod'

export const objectTypeSchema = z.enum(['blob', 'content', 'group', 'start', 'state'])

/** An object without its bytes. */
export const objectHeadSchema = z.object({
  hash: z.string(),
  type: objectTypeSchema,
  refs: z.array(z.string()),
  /** SHA-256 of the bytes and of the refs' digests, hex. */
  digest: z.string(),
  /** Bytes. */
  size: z.number(),
  mediaType: z.string().nullable(),
  createdAt: z.string(),
})

/** A node has its canonical text in `body`; a raw blob has its bytes in `base64`. */
export const objectSchema = objectHeadSchema.extend({ body: z.string().nullable(), base64: z.string().nullable() })

export const refSchema = z.object({ hash: z.string(), type: z.string() })
