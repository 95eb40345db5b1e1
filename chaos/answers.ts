import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { openDatabase } from '@/db/client'
import { startEmbedded } from '@/db/embedded/start-embedded'
import { migrate } from '@/db/migrate'
import { raceAnswers } from '@/server/runner/faults/answer-race'
import { COUNTER, installBundle } from '@/server/runner/testing/bundles'
import { randomFrom } from './random'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10000' },
    lanes: { type: 'string', default: '4' },
    seed: { type: 'string' },
  },
})
const { rounds, lanes, seed } = z
  .object({
    rounds: z.coerce.number().int().min(1).max(10_000_000),
    lanes: z.coerce.number().int().min(1).max(64),
    seed: z.coerce
      .number()
      .int()
      .min(0)
      .default(Math.floor(Math.random() * 1_000_000)),
  })
  .parse(values)

const TELL_EVERY = 1_000
const say = (line: string) => process.stdout.write(`${line}\n`)
const dir = mkdtempSync(path.join(tmpdir(), 'cairn-answers-'))
const server = await startEmbedded({ dir, settings: { fsync: 'off', full_page_writes: 'off' } })
await migrate(server.url)
const db = openDatabase(server.url, { purpose: 'test' })
say(`seed ${seed}: ${rounds} answers, each up to 5 ms before or after its wait`)
let done = 0
try {
  await installBundle(db, 'counter', COUNTER)
  const race = await raceAnswers(db, {
    workflow: 'counter',
    rounds,
    lanes,
    random: randomFrom(seed).next,
    onRound: () => {
      done += 1
      if (done % TELL_EVERY === 0) say(`${done} rounds`)
    },
  })
  say(JSON.stringify({ seed, lost: 0, ...race }))
} finally {
  await db.close()
  await server.stop()
  rmSync(dir, { recursive: true, force: true })
}
