import { openDatabase } from '@/db/client'
import { collectGarbage } from '../collect'

/** A process that collects, for tests that kill it: `tsx gc-host.ts <url>`. */
const db = openDatabase(process.argv[2] ?? '', { purpose: 'test' })
await collectGarbage(db, { batchObjects: 6 }, { name: 'host' })
await db.close()
