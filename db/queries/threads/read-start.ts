import { eq } from 'drizzle-orm'
import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'
import { blobs, startNodes } from '@/db/schema/cas'

export type StartRow = {
  /** Canonical text of the start node. */
  body: string
  depth: number
  parentState: string | null
  /** Canonical text of the prompt's content node; null when it is gone. */
  promptBody: string | null
}

export async function readStart(q: Queryable, hash: string): Promise<StartRow | null> {
  const rows = await mapped(
    q.orm
      .select({
        body: startNodes.body,
        depth: startNodes.depth,
        parentState: startNodes.parentState,
        promptBody: blobs.body,
      })
      .from(startNodes)
      .leftJoin(blobs, eq(blobs.hash, startNodes.prompt))
      .where(eq(startNodes.hash, hash))
      .limit(1),
  )
  return rows[0] ?? null
}
