import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createClient } from '../client'
import { EXIT_CODES } from '../exit-codes'
import { REPOSITORY } from './paths'
import { isRunning } from './testing/processes'
import { ensureWebBuilt } from './web-build'

const START_MS = 60_000
const TEST_MS = 3 * START_MS

const upSchema = z.object({
  url: z.string(),
  login: z.string(),
  pids: z.object({ web: z.number(), runner: z.number(), postgres: z.number() }),
})
type Up = z.infer<typeof upSchema> & { process: ChildProcess; dir: string; errors: () => string }

const root = mkdtempSync(join(tmpdir(), 'cairn-up-'))
const started: ChildProcess[] = []
beforeAll(async () => {
  await ensureWebBuilt(join(root, 'build.log'), new AbortController().signal, () => undefined)
}, 300_000)
afterEach(async () => {
  for (const process of started.splice(0)) {
    if (process.exitCode !== null || process.signalCode !== null) continue
    process.kill('SIGTERM')
    await once(process, 'exit')
  }
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** `cairn up --json` as a person starts it, without the database that tests or developers have. */
function cairnUp(dir: string) {
  const { DATABASE_URL: _own, ...env } = process.env
  const up = spawn(process.execPath, ['cli/bin.mjs', 'up', '--json', '--no-build', '--dir', dir], {
    cwd: REPOSITORY,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.push(up)
  let output = ''
  let errors = ''
  up.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  up.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  return { process: up, output: () => output, errors: () => errors }
}

async function start(name: string): Promise<Up> {
  const dir = join(root, name)
  const up = cairnUp(dir)
  await expect.poll(() => up.output().includes('\n') || up.process.exitCode !== null, { timeout: START_MS }).toBe(true)
  expect(up.errors()).not.toContain('"error"')
  return { ...upSchema.parse(JSON.parse(up.output())), process: up.process, dir, errors: up.errors }
}

function connect({ url, dir }: Up) {
  return createClient({ url, key: readFileSync(join(dir, 'key'), 'utf8').trim() })
}

const running = (pids: Up['pids']) => Object.values(pids).filter(isRunning)

describe('cairn up', () => {
  test(
    'serves the API, lets one run a folder, starts again what is killed, and SIGTERM leaves no process',
    async () => {
      const up = await start('orderly')
      expect(running(up.pids)).toHaveLength(3)
      expect((await connect(up).system.info.query({})).database.embedded).toBe(true)

      const second = cairnUp(up.dir)
      const [code] = await once(second.process, 'exit')
      expect([code, second.errors()]).toEqual([EXIT_CODES.conflict, expect.stringContaining(up.url)])

      const alive = async () =>
        (await connect(up).runner.list.query({})).items.filter((it) => it.alive).map((it) => it.pid)
      await expect.poll(alive, { timeout: 20_000 }).toContain(up.pids.runner)
      process.kill(up.pids.runner, 'SIGKILL')
      const another = async () => (await alive()).filter((pid) => pid !== up.pids.runner).length
      await expect.poll(another, { timeout: 20_000 }).toBe(1)
      const [runner = 0] = (await alive()).filter((pid) => pid !== up.pids.runner)

      up.process.kill('SIGTERM')
      const [exitCode] = await once(up.process, 'exit')
      expect(exitCode).toBe(EXIT_CODES.ok)
      expect(running({ ...up.pids, runner })).toEqual([])
      expect([existsSync(join(up.dir, 'server.json')), existsSync(join(up.dir, 'up.lock'))]).toEqual([false, false])
    },
    TEST_MS,
  )

  test(
    'that is killed takes the web server, the runner and Postgres with it, and the next one starts on the same data',
    async () => {
      const up = await start('killed')
      const { hash } = await connect(up).cas.put.mutate({ text: 'kept' })
      const key = readFileSync(join(up.dir, 'key'), 'utf8')
      up.process.kill('SIGKILL')
      await expect.poll(() => running(up.pids), { timeout: 30_000 }).toEqual([])

      const next = await start('killed')
      expect(readFileSync(join(up.dir, 'key'), 'utf8')).toBe(key)
      expect((await connect(next).cas.get.query({ hash })).type).toBe('content')
    },
    TEST_MS,
  )
})
