import type { Queryable } from '../../client'
import { mapped } from '../../errors'

export type NewRunner = {
  id: string
  host: string
  pid: number
  version: string
  nodeVersion: string
  capacity: number
  labels: string[]
  /** What it may give, like exec:git; null means all. */
  permissions: string[] | null
  sandbox: string[]
}

export async function insertRunner({ sql }: Queryable, r: NewRunner): Promise<void> {
  await mapped(
    sql`insert into runners (id, host, pid, version, node_version, capacity, labels, permissions, sandbox)
      values (${r.id}, ${r.host}, ${r.pid}, ${r.version}, ${r.nodeVersion}, ${r.capacity}, ${r.labels}::text[], ${r.permissions}::text[], ${r.sandbox}::text[])
      on conflict (id) do nothing`,
  )
}

export async function markRunnerStopped({ sql }: Queryable, id: string): Promise<void> {
  await mapped(sql`update runners set stopped_at = app_now(), active = 0 where id = ${id}`)
}
