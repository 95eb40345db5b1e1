import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'

export type WorkflowProjection = {
  name: string
  current: string
  state: 'active' | 'removed'
  version: number
  grants: object
  limits: object
}

/** Writes the projection under the lock of `lockWorkflow`, and wakes the web processes. */
export async function saveWorkflow({ sql }: Queryable, workflow: WorkflowProjection): Promise<void> {
  const { name, current, state, version, grants, limits } = workflow
  await mapped(sql`
    insert into workflows (name, current, state, version, grants, limits)
    values (${name}, ${current}, ${state}, ${version}, ${JSON.stringify(grants)}::jsonb, ${JSON.stringify(limits)}::jsonb)
    on conflict (name) do update set current = excluded.current, state = excluded.state, version = excluded.version,
      grants = excluded.grants, limits = excluded.limits, updated_at = app_now()`)
  await mapped(sql`select pg_notify('cairn_change', '')`)
}
