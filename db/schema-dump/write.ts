import { writeFileSync } from 'node:fs'
import { openDatabase } from '../client'
import { startTestServer } from '../testing/test-server'
import { dumpSchema } from './dump-schema'
import { SCHEMA_FILE } from './schema-file'

/** `npm run db:schema`: migrates an empty database and writes what came out of it. */
const server = await startTestServer()
try {
  const db = openDatabase(server.url, { purpose: 'cli' })
  writeFileSync(SCHEMA_FILE, await dumpSchema(db))
  await db.close()
} finally {
  await server.stop()
}
process.stdout.write(`Wrote ${SCHEMA_FILE}\n`)
