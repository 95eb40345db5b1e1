import { log } from '@/server/kernel/log'
import { migrate } from './migrate'

/** `npm run db:migrate`: brings the database that DATABASE_URL names up to this version. */
const url = process.env.DATABASE_URL
if (!url) {
  process.stderr.write('DATABASE_URL is not set. It says which database to migrate: postgres://user@host:5432/name\n')
  process.exitCode = 2
} else {
  try {
    await migrate(url)
    process.stdout.write('The database is up to date.\n')
  } catch (error) {
    log.error({ err: error }, 'migration failed')
    process.exitCode = 1
  }
}
