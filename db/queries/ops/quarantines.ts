import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'

export type QuarantineRow = {
  bundle: string
  /** Names that have or had this bundle. */
  workflows: string[]
  reason: string
  crashes: number
  at: Date
  queuedThreads: number
}

/** Queued threads of a bundle are counted up to this. */
export const COUNTED_QUEUED = 10_000

/** Bundles that are in quarantine now, newest first, 200 at most. */
export async function readQuarantines({ sql }: Queryable): Promise<QuarantineRow[]> {
  return mapped(sql<QuarantineRow[]>`
    select q.bundle, q.reason, q.crashes, q.at, n.workflows,
      (select count(*)::int from (
        select 1 from threads t where t.workflow = any(n.workflows) and t.status = 'queued' and t.bundle = q.bundle
        limit ${COUNTED_QUEUED}) queued) as "queuedThreads"
    from quarantines q,
      lateral (select coalesce(array_agg(distinct e.workflow order by e.workflow), '{}') as workflows
        from registry_events e where e.after = q.bundle) n
    where q.lifted_at is null
    order by q.at desc
    limit 200`)
}

/** Ends a quarantine, forgets the crashes that led to it, and wakes the runners. False when the bundle is in none. */
export async function liftQuarantine(
  { sql }: Queryable,
  { bundle, by, note }: { bundle: string; by: string; note: string | null },
): Promise<boolean> {
  const rows = await mapped(sql<{ lifted: boolean }[]>`
    with lifted as (
      update quarantines set lifted_at = app_now(), lifted_by = ${by}, note = ${note}
      where bundle = ${bundle} and lifted_at is null returning bundle, pg_notify('cairn_work', '')
    ), forgotten as (
      delete from bundle_crashes c using lifted where c.bundle = lifted.bundle
    )
    select true as lifted from lifted`)
  return rows.length > 0
}
