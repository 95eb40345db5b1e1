import { eq } from 'drizzle-orm'
import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'
import { workflows } from '@/db/schema/registry'

export type WorkflowRow = typeof workflows.$inferSelect

export async function readWorkflow({ orm }: Queryable, name: string): Promise<WorkflowRow | null> {
  const rows = await mapped(orm.select().from(workflows).where(eq(workflows.name, name)))
  return rows[0] ?? null
}
