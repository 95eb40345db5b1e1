import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, inject } from 'vitest'
import { connect, type Database, openDatabase } from '../client'

/**
 * A fresh database with the current schema, for one test file (`empty`: without it): `const db = await testDatabase()` at the top of the file.
 * `db.url` is for processes under test. When the file ends the database is dropped, and the file fails if somebody is still
 * connected then, or left a transaction open.
 */
export async function testDatabase(options: { max?: number; empty?: boolean } = {}): Promise<Database> {
  const templateUrl = inject('templateUrl')
  const name = `test_${randomBytes(6).toString('hex')}`
  const template = options.empty ? 'template1' : databaseOf(templateUrl)
  await asAdmin(templateUrl, (sql) => sql`create database ${sql(name)} template ${sql(template)}`)
  const size = options.max === undefined ? {} : { max: options.max }
  const db = openDatabase(withDatabase(templateUrl, name), { purpose: 'test', ...size })
  afterAll(async () => {
    const open = await db.sql<{ application_name: string; query: string }[]>`
      select application_name, query from pg_stat_activity
      where datname = ${name} and state like 'idle in transaction%'`
    await db.close()
    const leaked = await whoIsLeft(templateUrl, name)
    await asAdmin(templateUrl, (sql) => sql`drop database ${sql(name)} with (force)`)
    if (open.length > 0) throw new Error(`Transactions were left open: ${JSON.stringify(open)}`)
    if (leaked.length > 0) throw new Error(`Connections were left open: ${JSON.stringify(leaked)}`)
  })
  return db
}

/** Sessions that are still there after a closing one has had time to go. */
async function whoIsLeft(templateUrl: string, name: string): Promise<{ application_name: string; query: string }[]> {
  return asAdmin(templateUrl, async (sql) => {
    for (let tries = 1; ; tries++) {
      const sessions = await sql<{ application_name: string; query: string }[]>`
        select application_name, query from pg_stat_activity where datname = ${name} and backend_type = 'client backend'`
      if (sessions.length === 0 || tries >= 40) return [...sessions]
      await pause(50)
    }
  })
}

/** Runs `work` connected to the server's maintenance database, because the template may have no sessions. */
async function asAdmin<T>(templateUrl: string, work: (sql: ReturnType<typeof connect>) => PromiseLike<T>): Promise<T> {
  const sql = connect(withDatabase(templateUrl, 'postgres'), {
    max: 1,
    connection: { application_name: 'cairn-test-admin' },
  })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

function databaseOf(url: string): string {
  return new URL(url).pathname.slice(1)
}

function withDatabase(url: string, name: string): string {
  const address = new URL(url)
  address.pathname = `/${name}`
  return address.href
}
