import type { PgDatabase } from 'drizzle-orm/pg-core'
import { drizzle, type PostgresJsQueryResultHKT } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { AppError } from '@/server/kernel/errors'
import { log } from '@/server/kernel/log'
import { mapDatabaseError } from './errors'
import * as schema from './schema/index'

/** Drizzle over one pool or transaction. `transaction` is taken away: `withTransaction` is the only way to begin one. */
export type Orm = Omit<PgDatabase<PostgresJsQueryResultHKT, typeof schema>, 'transaction'>

/** A pool or a transaction: what every function under `db/queries` takes first. */
export type Queryable = { sql: postgres.Sql | postgres.TransactionSql; orm: Orm }

export type Database = Queryable & {
  sql: postgres.Sql
  url: string
  /** Lets running statements finish for up to 5 s, then closes every connection. */
  close(): Promise<void>
}

export type Purpose = 'web' | 'runner' | 'cli' | 'test'

/**
 * Connections for single statements (half as many more are for transactions; all open when first needed), and how long one
 * statement may take, in ms (0 = as long as it needs).
 */
const PURPOSES: Record<Purpose, { max: number; statementTimeout: number }> = {
  web: { max: 10, statementTimeout: 15_000 },
  runner: { max: 10, statementTimeout: 30_000 },
  cli: { max: 3, statementTimeout: 0 },
  test: { max: 5, statementTimeout: 60_000 },
}

/** A transaction that does nothing for this long is ended by the server, so that a stuck process cannot hold locks. */
const IDLE_IN_TRANSACTION_MS = 10_000

/**
 * Opens a pool; connects on first use. Values come back as: timestamps `Date`, `bigint` `number` (an error outside the safe
 * range), json parsed. `sql.json(value)` takes a value or, when it is a string, text that is JSON already.
 *
 * `?pgbouncer=true` in the URL says that a pooler in transaction mode is between: then statements are not prepared and no
 * setting is sent at connect (poolers refuse them; set the timeouts on the role instead).
 */
export function openDatabase(url: string, options: { purpose: Purpose; max?: number }): Database {
  const { max, statementTimeout } = PURPOSES[options.purpose]
  const { address, pooled } = parseDatabaseUrl(url)
  const connections = options.max ?? max
  const settings = {
    prepare: !pooled,
    connection: {
      application_name: `cairn-${options.purpose}`,
      ...(pooled
        ? {}
        : { statement_timeout: statementTimeout, idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS }),
    },
  }
  const sql = connect(address, { ...settings, max: connections })
  const transactions = connect(address, { ...settings, max: Math.ceil(connections / 2) })
  TRANSACTION_POOLS.set(sql, transactions)
  const close = async () => {
    await Promise.all([sql.end({ timeout: 5 }), transactions.end({ timeout: 5 })])
  }
  return { sql, orm: ormOver(sql), url, close }
}

/**
 * The pool for transactions beside each pool for statements. In postgres.js 3.4.9 a BEGIN that is pipelined behind other
 * queries is not given its connection when it fills the pipeline or meets back-pressure: it fails, and the connection
 * stays in a transaction that nobody commits, with the statements that others send on it. Where nothing but transactions
 * runs, a BEGIN is always the first query on an idle connection, so this cannot happen.
 */
const TRANSACTION_POOLS = new WeakMap<postgres.Sql, postgres.Sql>()

/**
 * Runs `work` in one transaction: committed when it resolves, rolled back when it throws. Database errors come out as
 * `AppError` (see db/errors.ts). Keep it short: no model call, user code or network wait inside.
 */
export async function withTransaction<T>(db: Database, work: (tx: Queryable) => Promise<T>): Promise<T> {
  const pool = TRANSACTION_POOLS.get(db.sql)
  if (!pool) throw new AppError('INTERNAL', 'withTransaction needs a database that openDatabase made.', {})
  try {
    // The driver's result type unwraps arrays of promises; `work` returns one promise, so its value is T.
    return (await pool.begin((tx) => work({ sql: tx, orm: ormOver(tx) }))) as T
  } catch (error) {
    throw mapDatabaseError(error)
  }
}

/** Splits the marker of a pooler from a URL: the server would refuse it as an unknown setting. */
export function parseDatabaseUrl(url: string): { address: string; pooled: boolean } {
  const [base = '', query] = url.split('?', 2)
  const params = new URLSearchParams(query)
  const pooled = params.get('pgbouncer') === 'true'
  params.delete('pgbouncer')
  return { address: params.size > 0 ? `${base}?${params}` : base, pooled }
}

/** The one place that makes a driver. */
export function connect(
  address: string,
  options: Pick<
    postgres.Options<Record<string, never>>,
    'max' | 'prepare' | 'connection' | 'onclose' | 'max_lifetime' | 'fetch_types'
  >,
): postgres.Sql {
  const sql = postgres(address, {
    connect_timeout: 10,
    keep_alive: 15,
    backoff: (retries) => Math.min(0.05 * 2 ** Math.min(retries, 8), 5) * (0.5 + Math.random() / 2),
    onnotice: (notice) => log.debug({ notice }, 'postgres notice'),
    ...options,
    types: {
      bigint: { to: 20, from: [20], parse: safeInteger, serialize: String },
      json: { to: 3802, from: [114, 3802], parse: JSON.parse, serialize: jsonText },
    },
  })
  // The two custom types only change values; that `Sql` lists them in a type parameter is of no use to a caller.
  return sql as unknown as postgres.Sql
}

function safeInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`The bigint ${text} is outside the range of safe integers.`)
  return value
}

/** Drizzle hands over text that is JSON already, hand-written statements hand over values. */
function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/**
 * Drizzle rewrites the parsers of the client it is given, which would change what hand-written statements on the same pool
 * return. It uses nothing of a client but `unsafe`, so it gets that and options of its own.
 */
function ormOver(sql: postgres.Sql | postgres.TransactionSql): Orm {
  const client = { unsafe: sql.unsafe, options: { parsers: {}, serializers: {} } }
  // The two members above are all that drizzle's session reads outside `transaction`, which `Orm` does not have.
  return drizzle(client as unknown as postgres.Sql, { schema })
}
