import { parseArgs } from 'node:util'
import { openDatabase } from '@/db/client'
import { startTestServer } from '@/db/testing/test-server'
import { collectGarbage } from '@/server/cas/gc/collect'
import { gcChaos } from '@/server/cas/gc/testing/chaos'
import { danglingRefs } from '@/server/cas/gc/testing/model'
import { verifyThread } from '@/server/cas/verify'
import type { ThreadId } from '@/server/kernel/ids'

/**
 * Collections in a loop beside writers of the same bytes, on a Postgres of its own: `npm run chaos:gc -- --seconds 120`. Ends
 * with 1 at the first ref that leads nowhere. The last line is JSON; `--seed` repeats the same choices, though not the same moments.
 */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    writers: { type: 'string', default: '16' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const server = await startTestServer()
const db = openDatabase(server.url, { purpose: 'test', max: 20 })
try {
  const seed = Number(values.seed)
  process.stdout.write(`seed ${seed}\n`)
  let lastTold = 0
  const counts = await gcChaos(db, {
    seconds: Number(values.seconds),
    writers: Number(values.writers),
    seed,
    onSecond(now) {
      if (Date.now() - lastTold < 10_000) return
      lastTold = Date.now()
      process.stdout.write(`${now.writes} writes, ${now.collections} collections, ${now.collected} objects collected\n`)
    },
  })
  await collectGarbage(db, { graceSeconds: 600 }, { name: 'chaos' })
  const dangling = await danglingRefs(db)
  // Ids of rows are ids.
  const threads = await db.sql<{ id: ThreadId }[]>`select id from threads`
  const damaged: string[] = []
  for (const { id } of threads) if (!(await verifyThread(db, id)).ok) damaged.push(id)
  const ok = dangling.length === 0 && damaged.length === 0
  process.stdout.write(`${JSON.stringify({ ok, seed, ...counts, threads: threads.length, dangling, damaged })}\n`)
  process.exitCode = ok ? 0 : 1
} finally {
  await db.close()
  await server.stop()
}
