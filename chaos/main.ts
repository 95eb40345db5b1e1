import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { openDatabase } from '@/db/client'
import { startEmbedded } from '@/db/embedded/start-embedded'
import { migrate } from '@/db/migrate'
import { initHash } from '@/server/cas/hash'
import { runChaos } from './run-chaos'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    threads: { type: 'string', default: '300' },
    runners: { type: 'string', default: '3' },
    seed: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
})
const options = z
  .object({
    minutes: z.coerce
      .number()
      .positive()
      .max(24 * 60),
    threads: z.coerce.number().int().min(1).max(100_000),
    runners: z.coerce.number().int().min(1).max(32),
    seed: z.coerce
      .number()
      .int()
      .min(0)
      .default(Math.floor(Math.random() * 1_000_000)),
  })
  .parse(values)

/** With `--json` the report is the one line on standard output. */
const say = (line: string) => (values.json ? process.stderr : process.stdout).write(`${line}\n`)

await initHash()
const dir = mkdtempSync(path.join(tmpdir(), 'cairn-chaos-'))
const server = await startEmbedded({ dir, settings: { fsync: 'off', full_page_writes: 'off' } })
await migrate(server.url)
const db = openDatabase(server.url, { purpose: 'test' })
say(`seed ${options.seed}: ${options.threads} threads on ${options.runners} runners for ${options.minutes} minutes`)
try {
  const report = await runChaos(db, { ...options, say })
  if (values.json) process.stdout.write(`${JSON.stringify(report)}\n`)
  else {
    for (const problem of report.problems) say(problem)
    say(JSON.stringify({ ...report, problems: report.problems.length }))
  }
  process.exitCode = report.ok ? 0 : 1
} finally {
  await db.close()
  await server.stop()
  rmSync(dir, { recursive: true, force: true })
}
