import { expect, test } from 'vitest'
import { moveClock } from '@/db/testing/clock'
import { testDatabase } from '@/db/testing/test-database'
import type { ThreadId } from '@/server/kernel/ids'
import { verifyThread } from '../verify'
import { collectGarbage } from './collect'
import { gcChaos } from './testing/chaos'
import { danglingRefs, expectedSurvivors, storedHashes } from './testing/model'

const db = await testDatabase({ max: 20 })

// `npm run chaos:gc` does the same for minutes.
const SECONDS = 8

test('collections beside 16 writers of the same bytes, and killed collectors: at no moment does a ref lead nowhere', async () => {
  const counts = await gcChaos(db, { seconds: SECONDS, writers: 16, seed: Date.now() })
  expect(Math.min(counts.writes, counts.collections, counts.collected, counts.looks)).toBeGreaterThan(0)
  // Ids of rows are ids.
  const threads = await db.sql<{ id: ThreadId }[]>`select id from threads`
  for (const { id } of threads) expect(await verifyThread(db, id)).toMatchObject({ ok: true })
  // What was interrupted is gone on with, and then nothing is left but what a root reaches.
  await collectGarbage(db, { graceSeconds: 600 }, { name: 'test' })
  await moveClock(db, 86_400_000)
  await collectGarbage(db, { graceSeconds: 600 }, { name: 'test' })
  expect(await storedHashes(db)).toEqual(await expectedSurvivors(db, 600))
  expect(await danglingRefs(db)).toEqual([])
}, 120_000)
