import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'
import { type Part, partOf } from './gc-mark'

type Sql = Pick<Queryable, 'sql'>

/**
 * Condemns what is not marked and was last touched before the cutoff, in a part of a table. Its rank is its time in
 * milliseconds, so that a chain goes from its head; contents without refs come last, in any order.
 */
export async function condemn({ sql }: Sql, { table, from, to }: Part, cutoff: Date): Promise<void> {
  const inPart = partOf(sql, from, to)
  const unmarked = sql`(select true from gc_marks m where m.hash = o.hash) is null`
  const old =
    table === 'state_nodes'
      ? sql`
        select hash, greatest(timestamp, 1), array_remove(
            array[start, parent, child_thread, (select l.hash from gc_listing l where l.hash = o.content),
              (select l.hash from gc_listing l where l.hash = o.compact)], null), octet_length(body)
          from state_nodes o
          where ${inPart} and timestamp < (extract(epoch from ${cutoff}::timestamptz) * 1000)::bigint and ${unmarked}`
      : table === 'start_nodes'
        ? sql`
          select hash, ${millis(sql)}, refs, octet_length(body) from start_nodes o
            where ${inPart} and touched_at < ${cutoff} and ${unmarked}`
        : sql`
          select hash, case refs when '{}' then -1 - (hashtextextended(hash, 0) & 9007199254740991) / 2 else ${millis(sql)} end, refs, size
            from blobs o where ${inPart} and touched_at < ${cutoff} and ${unmarked}`
  await mapped(sql`insert into gc_condemned (hash, rank, below, size) ${old} on conflict do nothing`)
}

/**
 * Lowers ranks that are above the rank of an object which refers to theirs: clocks of two processes differ by milliseconds, and a
 * step's content is stored after the step was given its time. Gives how many it lowered; to be called until there are none.
 */
export async function lowerRanks({ sql }: Sql): Promise<number> {
  const lowered = await mapped(sql`
    with lower as materialized (
      select ref.hash, min(r.rank) as rank
      from gc_condemned r cross join lateral unnest(r.below) as ref (hash)
        cross join lateral (select q.rank from gc_condemned q where q.hash = ref.hash offset 0) q
      where q.rank > r.rank group by ref.hash
    )
    update gc_condemned q set rank = lower.rank from lower where q.hash = lower.hash`)
  return lowered.count
}

/** One rank for all that refers to anything: it goes in one batch. */
export async function levelRanks({ sql }: Sql): Promise<void> {
  await mapped(sql`update gc_condemned set rank = 0 where rank > 0`)
}

function millis(sql: Sql['sql']) {
  return sql`greatest((extract(epoch from created_at) * 1000)::bigint, 1)`
}
