import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'

/*
 * Marking, in small statements. Two rules for the joins here: a `lateral (… offset 0)` and a scalar subquery are looked up by key,
 * row for row, whatever the planner thinks of tables that have no statistics.
 *
 * An object is marked once (`gc_marks`). What may have refs to follow then stands in `gc_queue`, by chunks in the order in which
 * they were found. Most objects are contents without refs: `gc_listing` has the others, so that contents need not be looked at.
 */

type Sql = Pick<Queryable, 'sql'>

export type CasTable = 'blobs' | 'start_nodes' | 'state_nodes'

/** Hashes in one row of the queue, and rows that one statement takes. */
const CHUNK = 1_000
const CHUNKS_AT_ONCE = 8

/** Tables of this session. In a dry run also one that hides the real `gc_condemned` from every statement of the session. */
export async function createMarkTables({ sql }: Sql, { dryRun }: { dryRun: boolean }): Promise<void> {
  await mapped(sql`set temp_buffers = '64MB'`)
  await mapped(sql`create temporary table gc_marks (hash text primary key)`)
  await mapped(sql`create temporary table gc_listing (hash text primary key)`)
  await mapped(sql`create temporary table gc_queue (n bigserial primary key, hashes text[] not null)`)
  if (dryRun) await mapped(sql`create temporary table gc_condemned (like public.gc_condemned including all)`)
}

/** Pages of a table now: what is written later may come behind them. */
export async function pagesOf({ sql }: Sql, table: CasTable): Promise<number> {
  const rows = await mapped(sql<{ pages: number }[]>`
    select (pg_relation_size(${table}::text::regclass) / current_setting('block_size')::int)::int as pages`)
  return rows[0]?.pages ?? 0
}

/** A part of a table: pages from `from` up to but not including `to`. */
export type Part = { table: CasTable; from: number; to: number }

/** Marks what was touched at the cutoff or later, and notes which contents have refs. */
export async function markYoung({ sql }: Sql, { table, from, to }: Part, cutoff: Date): Promise<void> {
  const inPart = partOf(sql, from, to)
  const seen =
    table === 'state_nodes'
      ? sql`select hash, true as young, true as deep from state_nodes
          where ${inPart} and timestamp >= (extract(epoch from ${cutoff}::timestamptz) * 1000)::bigint`
      : table === 'start_nodes'
        ? sql`select hash, true as young, true as deep from start_nodes where ${inPart} and touched_at >= ${cutoff}`
        : sql`select hash, touched_at >= ${cutoff} as young, refs <> '{}' as deep from blobs
            where ${inPart} and (touched_at >= ${cutoff} or refs <> '{}')`
  const listed =
    table === 'blobs'
      ? sql`listed as (insert into gc_listing select hash from seen where deep on conflict do nothing),`
      : sql``
  await mapped(sql`
    with seen as materialized (${seen}), ${listed}
    leaf as (insert into gc_marks select hash from seen where young and not deep on conflict do nothing),
    deep as (insert into gc_marks select hash from seen where young and deep on conflict do nothing returning hash)
    ${enqueue(sql)}`)
}

/** A scan by pages, of rows as they are now; a literal, because a plan for any page is a plan for the whole table. */
export function partOf(sql: Sql['sql'], from: number, to: number) {
  return sql`ctid >= ${`(${from},0)`}::text::tid and ctid < ${`(${to},0)`}::text::tid`
}

/**
 * Marks starts and heads of the next threads after `after`, by id: a thread that moves meanwhile is met all the same. Gives the
 * last id, or null when there are no more.
 */
export async function markThreads({ sql }: Sql, after: string, limit: number): Promise<string | null> {
  const rows = await mapped(sql<{ last: string | null }[]>`
    with page as materialized (select id, start, head from threads where id > ${after} order by id limit ${limit}),
    deep as (
      insert into gc_marks select start from page union select head from page on conflict do nothing returning hash
    ), queued as (${enqueue(sql)})
    select max(id) as last from page`)
  return rows[0]?.last ?? null
}

/** The other roots: pins, subjects, and the ends of children that a waiting thread was told and has not recorded yet. */
export async function markOtherRoots({ sql }: Sql): Promise<void> {
  await mapped(sql`
    with root as (
      select hash from pins
      union
      select subject from waits where subject is not null
      union
      select subject from thread_inputs where subject is not null
      union
      select e ->> 'end' from waits
        cross join lateral json_array_elements(case json_typeof(answer) when 'array' then answer else '[]' end) as e
        where kind = 'threads' and status = 'answered' and e ->> 'end' is not null
    ), deep as (insert into gc_marks select hash from root on conflict do nothing returning hash)
    ${enqueue(sql)}`)
}

/**
 * Follows the refs of the next queued objects, some thousand. False when there was nothing. With `again`, for the marking after
 * the condemning: what is marked is not condemned any more, and every content is looked at for refs, also where `gc_listing`,
 * which is as old as the first marking, has none.
 *
 * Of the ancestors a node's parent is followed, which finds them all; and the ones 8, 64 and 1024 steps back from the few nodes
 * whose height is a multiple of that, so that a chain of n is done in about n/1024 + 60 rounds.
 */
export async function markBelow({ sql }: Sql, { again }: { again: boolean }): Promise<boolean> {
  const spared = sql`spared as (
      delete from gc_condemned where ctid = any (array(
        select c.ctid from (select hash from leaf union all select hash from deep) m
          cross join lateral (select ctid from gc_condemned where hash = m.hash offset 0) c))
    ),`
  const rows = await mapped(sql<{ taken: number }[]>`
    with taken as (
      delete from gc_queue where n in (select n from gc_queue order by n limit ${CHUNKS_AT_ONCE}) returning hashes
    ), item as materialized (select unnest(hashes) as hash from taken),
    looked as materialized (
      select item.hash, s.* from item left join lateral (
        select start, content, compact, child_thread, refs[3] as parent, case when height % 8 = 0 then refs[6] end as back8,
          case when height % 64 = 0 then refs[9] end as back64, case when height % 1024 = 0 then refs[13] end as back1024
        from state_nodes where hash = item.hash offset 0
      ) s on true
    ), state as (select * from looked where start is not null),
    other as materialized (select hash from looked where start is null
    ), found as (
      select distinct start as hash, true as deep from state
      union all
      select unnest(array[parent, back8, back64, back1024, child_thread]), true from state
      union all
      select b.hash, ${again}::boolean or (select true from gc_listing l where l.hash = b.hash) is true
        from state cross join lateral unnest(array[content, compact]) as b (hash) where b.hash is not null
      union all
      select unnest(s.refs), true from other
        cross join lateral (select refs from start_nodes where hash = other.hash offset 0) s
      union all
      select unnest(b.refs), true from other
        cross join lateral (select refs from blobs where hash = other.hash and refs <> '{}' offset 0) b
    ), distinctly as materialized (
      select hash, bool_or(deep) as deep from found where hash is not null group by hash
    ), leaf as (
      insert into gc_marks select hash from distinctly where not deep on conflict do nothing returning hash
    ), deep as (
      insert into gc_marks select hash from distinctly where deep on conflict do nothing returning hash
    ), ${again ? spared : sql``} queued as (${enqueue(sql)})
    select count(*)::int as taken from taken`)
  return rows[0]?.taken !== 0
}

function enqueue(sql: Sql['sql']) {
  return sql`
    insert into gc_queue (hashes)
      select array_agg(hash) from (select hash, (row_number() over () - 1) / ${CHUNK}::int as chunk from deep) d group by chunk`
}
