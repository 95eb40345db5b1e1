import { expect, test } from 'vitest'
import { testDatabase } from '@/db/testing/test-database'
import { initHash } from '@/server/cas/hash'
import { runChaos } from './run-chaos'

const db = await testDatabase()

test('a minute of chaos: every thread ends as it should, each step was done once, and every invariant holds', async () => {
  await initHash()
  const seed = Math.floor(Math.random() * 1_000_000)
  const lines: string[] = []
  const report = await runChaos(db, { seed, minutes: 1, threads: 40, runners: 3, say: (line) => lines.push(line) })
  expect(report.problems, `seed ${seed}\n${lines.join('\n')}`).toEqual([])
  // It was chaos.
  expect(report.fleet.killed + report.fleet.frozen + report.backendsTerminated).toBeGreaterThan(10)
  expect(report.witness.recorded).toBe(report.steps)
}, 600_000)
