import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'

type Sql = Pick<Queryable, 'sql'>

export type GcRunRow = {
  id: number
  phase: 'marking' | 'sweeping' | 'done' | 'abandoned'
  dryRun: boolean
  cutoff: Date
  actor: string
  marked: number
  objects: number
  bytes: number
  startedAt: Date
  finishedAt: Date | null
  /** A collector holds it. An unfinished run without one was interrupted. */
  underWay: boolean
}

/** Makes the caller the only collector, as long as its session lasts; false when there is one already. */
export async function becomeCollector({ sql }: Sql): Promise<boolean> {
  const rows = await mapped(
    sql<{ locked: boolean }[]>`select pg_try_advisory_lock(hashtextextended('cairn gc collector', 0)) as locked`,
  )
  return rows[0]?.locked === true
}

/**
 * `gc_begin` in the migrations: a new run, or the one that was interrupted while it swept. Dry runs that nobody works on any
 * more are closed. UNAVAILABLE when writers kept the lock for too long: try again.
 */
export async function beginRun(
  { sql }: Sql,
  { actor, dryRun, graceSeconds }: { actor: string; dryRun: boolean; graceSeconds: number },
): Promise<{ id: number; phase: GcRunRow['phase']; cutoff: Date }> {
  await mapped(sql`
    update gc_runs set phase = 'abandoned', finished_at = app_now()
    where dry_run and phase = 'marking' and pg_try_advisory_xact_lock(hashtext('cairn gc run'), id::int)`)
  const rows = await mapped(
    sql<{ id: number; phase: GcRunRow['phase']; cutoff: Date }[]>`
      select id, phase, cutoff from gc_begin(${actor}, ${dryRun}::boolean, ${graceSeconds}::int)`,
  )
  const run = rows[0]
  if (run === undefined) throw new Error('gc_begin gives one row')
  // Says in lists that somebody works on it, until the session ends.
  await mapped(sql`select pg_advisory_lock(hashtext('cairn gc run'), ${run.id}::int)`)
  return run
}

export async function saveMarked({ sql }: Sql, id: number): Promise<void> {
  await mapped(sql`update gc_runs set marked = (select count(*) from gc_marks) where id = ${id}`)
}

export async function startSweeping({ sql }: Sql, id: number): Promise<void> {
  await mapped(sql`update gc_runs set phase = 'sweeping' where id = ${id} and phase = 'marking'`)
}

export type Swept = { objects: number; bytes: number; lowest: number }

/** `gc_sweep` in the migrations; undefined when the run is over. UNAVAILABLE as in `beginRun`. */
export async function sweepBatch(
  { sql }: Sql,
  { run, most, above }: { run: number; most: number; above: number },
): Promise<Swept | undefined> {
  const rows = await mapped(
    sql<Swept[]>`select objects, bytes, lowest from gc_sweep(${run}::bigint, ${most}::int, ${above}::bigint)`,
  )
  return rows[0]
}

/** Ends a dry run with what a real one would delete now. */
export async function finishDryRun({ sql }: Sql, id: number): Promise<void> {
  await mapped(sql`
    update gc_runs set phase = 'done', finished_at = app_now(),
      objects = (select count(*) from gc_condemned), bytes = (select coalesce(sum(size), 0) from gc_condemned)
    where id = ${id}`)
}

/** A run that failed before it swept: what it left is of no use to anybody. */
export async function abandonRun({ sql }: Sql, id: number): Promise<void> {
  await mapped(sql`
    update gc_runs set phase = 'abandoned', finished_at = app_now() where id = ${id} and phase = 'marking'`)
}

/** Newest first. */
export async function listRuns({ sql }: Sql, limit: number): Promise<GcRunRow[]> {
  return mapped(sql<GcRunRow[]>`${runs(sql)} order by r.id desc limit ${limit}`)
}

export async function readRun({ sql }: Sql, id: number): Promise<GcRunRow | undefined> {
  const rows = await mapped(sql<GcRunRow[]>`${runs(sql)} where r.id = ${id}`)
  return rows[0]
}

function runs(sql: Sql['sql']) {
  return sql`
    select r.id, r.phase, r.dry_run as "dryRun", r.cutoff, r.actor, r.marked, r.objects, r.bytes, r.started_at as "startedAt",
      r.finished_at as "finishedAt",
      r.phase in ('marking', 'sweeping') and exists (
        select from pg_locks l where l.locktype = 'advisory' and l.objsubid = 2 and l.granted
          and l.database = (select oid from pg_database where datname = current_database())
          and l.classid::bigint = (hashtext('cairn gc run')::bigint & 4294967295) and l.objid::bigint = r.id
      ) as "underWay"
    from gc_runs r`
}
