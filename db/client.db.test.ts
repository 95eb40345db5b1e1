import { sql as raw } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { openDatabase, parseDatabaseUrl, type Queryable, withTransaction } from './client'
import { retryable } from './errors'
import { runners } from './schema/index'
import { moveClock } from './testing/clock'
import { testDatabase } from './testing/test-database'

const db = await testDatabase()

async function idleInTransaction(): Promise<number> {
  const [row] = await db.sql<{ count: number }[]>`
    select count(*) from pg_stat_activity
    where datname = current_database() and state like 'idle in transaction%' and application_name = 'cairn-runner'`
  return row?.count ?? 0
}

describe('a transaction', () => {
  // On one pool with the statements, the driver fails at 100 queued for one connection and near 298 for three.
  const counts = Array.from({ length: 421 }, (_, n) => n).filter((n) => n % 14 === 0 || (n + 5) % 100 < 10)
  test.each([1, 3])('never fails to get one of %i connections, however many queries are queued', async (max) => {
    const pool = openDatabase(db.url, { purpose: 'runner', max })
    for (const queued of counts) {
      await Promise.all(Array.from({ length: max }, () => pool.sql`select pg_sleep(0.001)`))
      const before = Array.from({ length: queued }, () => pool.sql`select 1`.execute())
      const results = await Promise.allSettled(
        Array.from({ length: 3 }, () => withTransaction(pool, ({ sql }) => sql`select 2 as n`)),
      )
      await Promise.all(before)
      expect(
        results.filter(({ status }) => status === 'rejected'),
        `${queued} queued`,
      ).toEqual([])
      expect(await idleInTransaction(), `${queued} queued`).toBe(0)
    }
    await pool.close()
  })

  test('is undone when its work throws', async () => {
    const failure = new Error('stop')
    const work = withTransaction(db, async ({ orm }) => {
      await orm.insert(runners).values({ id: 'r1', host: 'h', pid: 1, version: '1', nodeVersion: '20', capacity: 1 })
      throw failure
    })
    await expect(work).rejects.toBe(failure)
    expect(await db.orm.select().from(runners)).toEqual([])
  })

  test('that idles too long is ended by the server', async () => {
    const [row] = await withTransaction(db, ({ sql }) => sql`show idle_in_transaction_session_timeout`)
    expect(row).toEqual({ idle_in_transaction_session_timeout: '10s' })
  })
})

describe('a connection that is killed', () => {
  const kill = (pid: number) => db.sql`select pg_terminate_backend(${pid}, 5000)`
  const backend = async (sql: Queryable['sql']) => {
    const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
    return row?.pid ?? 0
  }

  // The driver as published crashes the process here, or leaves a connection behind that never answers again.
  test.each(['during a statement', 'between two statements', 'with statements queued', 'before the work throws'])(
    'in a transaction, %s, fails that transaction and no other',
    async (moment) => {
      const pool = openDatabase(db.url, { purpose: 'runner', max: 1 })
      for (let round = 0; round < 5; round++) {
        const work = withTransaction(pool, async ({ sql }) => {
          const pid = await backend(sql)
          if (moment === 'during a statement') await Promise.all([sql`select pg_sleep(10)`, kill(pid)])
          if (moment === 'with statements queued') {
            await Promise.all([
              sql`select ${'a'}::text, pg_sleep(10)`,
              sql`select ${'b'}::text`,
              sql`select 1`,
              kill(pid),
            ])
          }
          await kill(pid)
          if (moment === 'before the work throws') throw new Error('own failure')
          await sql`insert into runners (id, host, pid, version, node_version, capacity) values ('ghost', 'h', 1, '1', '20', 1)`
        })
        await expect(work).rejects.toMatchObject({ code: 'UNAVAILABLE' })
        expect(await withTransaction(pool, ({ sql }) => sql`select 2 as n`)).toEqual([{ n: 2 }])
      }
      expect(await db.orm.select().from(runners)).toEqual([])
      await pool.close()
    },
  )

  test('under many statements fails those that were on it; what comes later gets a new one', async () => {
    const pool = openDatabase(db.url, { purpose: 'runner', max: 2 })
    for (let round = 0; round < 10; round++) {
      const pids = await Promise.all([backend(pool.sql), backend(pool.sql)])
      let open = true
      const callers = Array.from({ length: 20 }, async (_, n) => {
        while (open) await pool.sql`select ${n}::int`.catch((error: unknown) => expect(retryable(error)).toBe(true))
      })
      await Promise.all(pids.map(kill))
      open = false
      await Promise.all(callers)
    }
    expect(await pool.sql`select 2 as n`).toEqual([{ n: 2 }])
    await pool.close()
  })
})

describe('values', () => {
  test('come back alike through hand-written statements before and after drizzle was used on the pool', async () => {
    const read = async () => (await db.sql`select now() as at, 5::bigint as n, '{"a":1}'::jsonb as j`)[0]
    const before = await read()
    await db.orm.execute(raw`select 1`)
    const after = await read()
    for (const row of [before, after]) {
      expect(row?.at).toBeInstanceOf(Date)
      expect(row).toMatchObject({ n: 5, j: { a: 1 } })
    }
  })

  test('of json go in once, never as text inside json, by drizzle and by hand', async () => {
    const [row] = await db.sql<{ a: unknown; b: unknown }[]>`
      select ${db.sql.json({ x: [1] })}::jsonb as a, ${JSON.stringify({ y: 2 })}::jsonb as b`
    expect(row).toEqual({ a: { x: [1] }, b: { y: 2 } })
  })

  test('of bigint outside the safe range are an error, not a wrong number', async () => {
    await expect(db.sql`select 9007199254740993::bigint`).rejects.toThrow(/safe integers/)
    expect(await db.sql`select 1 as alive`).toEqual([{ alive: 1 }])
  })
})

test('a URL that says a pooler is between sends no setting at connect and prepares nothing', async () => {
  expect(parseDatabaseUrl('postgres://h/d?pgbouncer=true&sslmode=require')).toEqual({
    address: 'postgres://h/d?sslmode=require',
    pooled: true,
  })
  const pool = openDatabase(`${db.url}?pgbouncer=true`, { purpose: 'web' })
  const value = 1
  await pool.sql`select ${value}::int`
  const [prepared] = await pool.sql`select count(*) as n from pg_prepared_statements`
  const [timeout] = await pool.sql`show statement_timeout`
  await pool.close()
  expect(prepared).toEqual({ n: 0 })
  expect(timeout).toEqual({ statement_timeout: '0' })
})

test('moving the clock moves it for every session at once, also under prepared statements', async () => {
  const other = openDatabase(db.url, { purpose: 'runner', max: 1 })
  const ahead = async () => {
    const [row] = await other.sql<{ ms: number }[]>`
      select (extract(epoch from app_now() - clock_timestamp()) * 1000)::bigint as ms`
    return row?.ms ?? Number.NaN
  }
  for (let n = 0; n < 7; n++) expect(Math.abs(await ahead())).toBeLessThan(1_000)
  await moveClock(db, 60_000)
  expect(Math.abs((await ahead()) - 60_000)).toBeLessThan(1_000)
  await moveClock(db, 60_000)
  expect(Math.abs((await ahead()) - 120_000)).toBeLessThan(1_000)
  await other.close()
})
