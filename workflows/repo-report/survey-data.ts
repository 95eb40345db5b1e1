import * as z from 'zod'

/** What the survey hands to the hotspots, as a content node of its own. Times are milliseconds since the epoch. */
export const surveySchema = z.object({
  name: z.string(),
  head: z.string(),
  branch: z.string().nullable(),
  shallow: z.boolean(),
  commits: z.object({ total: z.int(), read: z.int() }),
  range: z.object({ oldest: z.number(), newest: z.number() }).nullable(),
  authors: z.array(
    z.object({ name: z.string(), commits: z.int(), added: z.int(), deleted: z.int(), last: z.number() }),
  ),
  /** Oldest first. */
  months: z.array(z.object({ month: z.string(), commits: z.int() })),
  files: z.object({
    count: z.int(),
    bytes: z.int(),
    largest: z.array(z.object({ path: z.string(), size: z.int() })),
    extensions: z.array(z.object({ name: z.string(), files: z.int(), bytes: z.int() })),
    folders: z.array(z.object({ name: z.string(), files: z.int(), bytes: z.int() })),
  }),
  /** Files that exist at the head, most changed first. `owners` holds [index of an author, lines added]. */
  changed: z.array(
    z.object({
      path: z.string(),
      size: z.int().nullable(),
      commits: z.int(),
      added: z.int(),
      deleted: z.int(),
      last: z.number(),
      owners: z.array(z.tuple([z.int(), z.int()])),
    }),
  ),
  /** What was left out, and why. */
  notes: z.array(z.string()),
})
export type Survey = z.infer<typeof surveySchema>
