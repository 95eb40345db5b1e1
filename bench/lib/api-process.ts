import { openDatabase } from '@/db/client'
import { serveApi } from '@/server/api/testing/http-server'
import { initHash } from '@/server/cas/hash'
import { createWatchHub } from '@/server/threads/watch'

/**
 * The API over HTTP in a process of its own, by the handler that the web process uses: measured without pages, and without
 * those who measure in the same event loop. Sends its address to its parent and ends with it.
 */
await initHash()
const db = openDatabase(process.env.DATABASE_URL ?? '', { purpose: 'web' })
const hub = createWatchHub(db)
const api = await serveApi({ db, hub, embedded: false })
const stop = async () => {
  await hub.close()
  await api.close()
  await db.close()
  process.exit(0)
}
process.on('disconnect', () => void stop())
process.on('SIGTERM', () => void stop())
process.send?.({ url: api.url })
