import { z } from 'zod'
import type { Database } from '@/db/client'
import { rebuildWorkflows } from '@/server/registry/rebuild-workflows'
import { rebuildThreads } from './rebuild-threads'

const comparedSchema = z.object({
  checked: z.number(),
  /** What a row says, and what it should: 1,000 at most. The column that names the row stands for the row as a whole. */
  differing: z.array(
    z.object({ id: z.string(), column: z.string(), stored: z.string().nullable(), rebuilt: z.string().nullable() }),
  ),
  /** Rows that were left as they are, because nodes and events do not say what they should be: 1,000 at most. */
  undecided: z.array(z.object({ id: z.string(), why: z.string() })),
})

export const rebuildReportSchema = z.object({
  threads: comparedSchema,
  workflows: comparedSchema,
  /** Threads after this one are still to be looked at: call again with it as `after`. Null when all were. */
  next: z.string().nullable(),
})
export type RebuildReport = z.infer<typeof rebuildReportSchema>

/** One call looks at threads for about this long. */
const SLICE_MS = 10_000
const MAX_LISTED = 1_000

/**
 * Makes the rows of threads and workflows again from nodes and events, and compares; with `apply` it writes what differs. The
 * workflows come with the first call. Safe beside everything else: each row is written under its lock, and one that a runner holds is left.
 */
export async function rebuild(
  db: Database,
  { apply, after }: { apply: boolean; after?: string | undefined },
): Promise<RebuildReport> {
  const workflows =
    after === undefined ? await rebuildWorkflows(db, { apply }) : { checked: 0, differing: [], undecided: [] }
  const { next, ...threads } = await rebuildThreads(db, {
    apply,
    after: after ?? '',
    untilMs: performance.now() + SLICE_MS,
  })
  return { threads: bounded(threads), workflows: bounded(workflows), next }
}

function bounded(found: z.infer<typeof comparedSchema>): z.infer<typeof comparedSchema> {
  const { checked, differing, undecided } = found
  return { checked, differing: differing.slice(0, MAX_LISTED), undecided: undecided.slice(0, MAX_LISTED) }
}
