import { afterAll, beforeAll, expect, it } from 'vitest'
import { openDatabase } from '@/db/client'
import { testDatabase } from '@/db/testing/test-database'
import { checkInvariants } from '@/server/ops/invariants/check-invariants'

const db = await testDatabase()
/** One connection: its statistics are complete when it is idle. */
const one = openDatabase(db.url, { purpose: 'test', max: 1 })
afterAll(() => one.close())

const THREADS = 30_000
const TABLES = ['threads', 'thread_events', 'thread_tasks', 'state_nodes', 'start_nodes', 'blobs', 'waits']

beforeAll(async () => {
  await db.sql`insert into blobs (hash, type, body, digest, size) select 'c' || g, 'content', '', '', 0 from generate_series(1, 1000) g`
  await db.sql`insert into bundles (hash, source, digest, descriptor, size) values ('b', '', '', '{}', 0)`
  await db.sql`
    insert into start_nodes (hash, body, refs, digest, name, bundle, depth, prompt)
    select 's' || g, '', array['c' || (1 + g % 1000)], '', 'workflow-' || (g % 30), 'b', 0, 'c1' from generate_series(1, ${THREADS}) g`
  await db.sql`
    insert into state_nodes (hash, body, refs, digest, role, start, content, parent, height, timestamp)
    select 'n' || g || '.' || h, '', array['s' || g, 'c' || (1 + g % 1000)], '', case when h = 3 then '__end__' else 'work' end,
      's' || g, 'c' || (1 + g % 1000), case when h > 1 then 'n' || g || '.' || (h - 1) end, h, 0
    from generate_series(1, ${THREADS}) g, generate_series(1, 3) h where h < 3 or g % 60 <> 0`
  await db.sql`
    insert into threads (id, workflow, bundle, status, start, head, height, steps, actor, origin, excerpt, event_seq, finished_at, return_code,
      summary, idle_since, runner, lease_expires_at, started_at)
    select lpad(g::text, 26, '0'), 'workflow-' || (g % 30), 'b', status, 's' || g, 'n' || g || '.' || h, h, 2, 'a', 'api', '', 2,
      case when h = 3 then now() end, case when h = 3 then 0 end, case when h = 3 then '' end,
      case when status in ('waiting', 'paused') then now() end, case when status = 'running' then 'r1' end,
      case when status = 'running' then now() + interval '1 day' end, now()
    from (select g, case when g % 60 = 0 then 2 else 3 end as h,
      case when g % 60 <> 0 then 'completed' else (array['waiting', 'queued', 'paused', 'running'])[1 + (g / 60) % 4] end as status
      from generate_series(1, ${THREADS}) g) made`
  await db.sql`
    insert into thread_events (thread, seq, type, status, height, head, actor)
    select id, n, 'queued', status, height, head, 'a' from threads, generate_series(1, 2) n`
  await db.sql`
    insert into waits (thread, key, kind, wake_at, status)
    select id, 'k' || n, 'until', now() + interval '1 year', case when status = 'waiting' and n = 1 then 'open' else 'answered' end
    from threads, generate_series(1, 2) n`
  await db.sql`insert into runners (id, host, pid, version, node_version, capacity) values ('r1', 'h', 1, '1', '20', 10000)`
  for (const table of TABLES) await db.sql`analyze ${db.sql(table)}`
}, 90_000)

/** Rows that scans of whole tables have read since the database was made. */
async function rowsScanned(): Promise<Record<string, number>> {
  await one.sql`select pg_stat_force_next_flush()`
  const rows = await one.sql<{ table: string; read: number }[]>`
    select relname as table, seq_tup_read as read from pg_stat_user_tables where relname = any(${TABLES})`
  return Object.fromEntries(rows.map(({ table, read }) => [table, read]))
}

it('a look at a sample of many threads scans no large table', async () => {
  const before = await rowsScanned()
  const { items } = await checkInvariants(one, { settleSeconds: 3_600 })
  expect(items.filter(({ ok }) => !ok)).toEqual([])
  const after = await rowsScanned()
  const scanned = TABLES.map((table) => [table, (after[table] ?? 0) - (before[table] ?? 0)] as const)
  expect(scanned.filter(([, rows]) => rows > 1_000)).toEqual([])
})
