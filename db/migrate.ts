import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator'
import type postgres from 'postgres'
import { AppError } from '@/server/kernel/errors'
import { openDatabase, type Queryable, withTransaction } from './client'

/** Any number that nothing else in the database locks. */
const MIGRATION_LOCK = 5_237_419_026

export const MIGRATIONS_FOLDER = join(dirname(fileURLToPath(import.meta.url)), '..', 'drizzle')

/**
 * Brings the database up to this version, in one transaction under an advisory lock: any number of processes may call it at
 * once. Forward only. Throws `CONFLICT` when the database was migrated by a newer version, or when a migration that it has
 * run reads differently now; nothing is changed then.
 */
export async function migrate(url: string, migrationsFolder: string = MIGRATIONS_FOLDER): Promise<void> {
  const db = openDatabase(url, { purpose: 'cli', max: 1 })
  try {
    await withTransaction(db, async (tx) => {
      await tx.sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`
      await refuseForeignHistory(tx, migrationsFolder)
      await applyMigrations(drizzle(migratorClient(tx)), { migrationsFolder })
    })
  } finally {
    await db.close()
  }
}

async function refuseForeignHistory(tx: Queryable, migrationsFolder: string): Promise<void> {
  const [table] = await tx.sql<{ name: string | null }[]>`select to_regclass('drizzle.__drizzle_migrations') as name`
  if (!table?.name) return
  const ours = new Map(readMigrationFiles({ migrationsFolder }).map((m) => [m.folderMillis, m.hash]))
  const applied = await tx.sql<{ hash: string; created_at: number }[]>`
    select hash, created_at from drizzle.__drizzle_migrations order by created_at`
  for (const row of applied) {
    const hash = ours.get(row.created_at)
    if (hash === undefined) {
      throw new AppError(
        'CONFLICT',
        `The database has a migration (of ${new Date(row.created_at).toISOString()}) that this version of Cairn does not know: ` +
          'it belongs to a newer version. Start that version, or point DATABASE_URL to another database.',
        { current: 'newer' },
      )
    }
    if (hash !== row.hash) {
      throw new AppError(
        'CONFLICT',
        `The migration of ${new Date(row.created_at).toISOString()} was changed after this database ran it. ` +
          'Restore the file under drizzle/ and put the change into a new migration, or start with an empty database.',
        { current: 'changed' },
      )
    }
  }
}

/** Drizzle's migrator wants to begin a transaction; it is inside one already, so it gets a savepoint. */
function migratorClient(tx: Queryable): postgres.Sql {
  if (!('savepoint' in tx.sql)) throw new AppError('INTERNAL', 'Migrations run inside a transaction only.', {})
  const { sql } = tx
  const scoped = (inner: postgres.TransactionSql) => ({
    unsafe: inner.unsafe,
    options: { parsers: {}, serializers: {} },
  })
  const client = {
    ...scoped(sql),
    begin: <T>(work: (inner: unknown) => Promise<T>) => sql.savepoint((inner) => work(scoped(inner))),
  }
  // `unsafe`, `begin` and `options` are all that the migrator uses of a client.
  return client as unknown as postgres.Sql
}
