import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'

export type ListedWorkflow = {
  name: string
  current: string
  state: 'active' | 'removed'
  description: string
  roles: number
  updatedAt: Date
  recent: { id: string; status: string }[]
}

/** Active workflows by name after `after`, each with its newest threads. */
export async function listActive(
  { sql }: Queryable,
  { after, limit, recent }: { after: string | undefined; limit: number; recent: number },
): Promise<ListedWorkflow[]> {
  return mapped(sql<ListedWorkflow[]>`
    select w.name, w.current, w.state, b.descriptor ->> 'description' as description, w.updated_at as "updatedAt",
      (select count(*)::int from json_object_keys(b.descriptor -> 'roles')) as roles,
      coalesce(
        (select json_agg(json_build_object('id', t.id, 'status', t.status) order by t.id desc)
          from (select id, status from threads where workflow = w.name order by id desc limit ${recent}) t),
        '[]'::json) as recent
    from workflows w join bundles b on b.hash = w.current
    where w.state = 'active' ${after === undefined ? sql`` : sql`and w.name > ${after}`}
    order by w.name
    limit ${limit}`)
}

/** Every name that has a row or an event. */
export async function listNames({ sql }: Queryable): Promise<string[]> {
  const rows = await mapped(sql<{ name: string }[]>`
    select name from workflows union select workflow from registry_events order by name`)
  return rows.map(({ name }) => name)
}
