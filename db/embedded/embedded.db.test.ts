import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { type Database, openDatabase } from '../client'
import { retrySafe } from '../errors'
import { gone } from './postmaster'
import { commandOf, processesIn } from './process-table'
import { type Embedded, type EmbeddedOptions, startEmbedded } from './start-embedded'

const HOST = fileURLToPath(new URL('../testing/embedded-host.ts', import.meta.url))
const TSX = fileURLToPath(import.meta.resolve('tsx'))
const isRoot = process.geteuid?.() === 0

/** Each test starts real servers; a slow machine takes its time. */
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

/** A data folder that was made once, for the tests that are not about making one. */
let made = ''
beforeAll(async () => {
  made = mkdtempSync(join(tmpdir(), 'cairn-embedded-'))
  await (await startEmbedded({ dir: made })).stop()
})
afterAll(() => rmSync(made, { recursive: true }))

const folders: string[] = []
const servers: Embedded[] = []
const hosts: ChildProcess[] = []
const pools: Database[] = []

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()))
  for (const server of servers.splice(0)) await server.stop()
  for (const host of hosts.splice(0)) if (host.exitCode === null && host.signalCode === null) await endHost(host)
  for (const folder of folders.splice(0)) {
    const left = processesIn(join(folder, 'postgres'))
    for (const pid of left) process.kill(pid, 'SIGKILL')
    rmSync(folder, { recursive: true })
    expect(left, `processes left in ${folder}`).toEqual([])
  }
})

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-embedded-'))
  folders.push(folder)
  return folder
}

function filledFolder(): string {
  const folder = newFolder()
  cpSync(join(made, 'postgres'), join(folder, 'postgres'), { recursive: true })
  return folder
}

async function start(dir: string, options: Partial<EmbeddedOptions> = {}): Promise<Embedded> {
  const server = await startEmbedded({ dir, ...options })
  servers.push(server)
  return server
}

function open(url: string): Database {
  const pool = openDatabase(url, { purpose: 'test', max: 2 })
  pools.push(pool)
  return pool
}

const answerSchema = z.union([
  z.object({ url: z.string(), pid: z.number(), port: z.number(), owned: z.boolean() }),
  z.object({ error: z.string() }),
])

/** Starts a server in a process of its own; what it prints, parsed. */
async function startHost(dir: string, options: { uid?: number; gid?: number; path?: string } = {}) {
  const { path = process.env.PATH, ...identity } = options
  const host = spawn(process.execPath, ['--import', TSX, HOST, dir], {
    ...identity,
    env: { ...process.env, PATH: path, HOME: tmpdir(), TMPDIR: dir },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  hosts.push(host)
  for await (const line of createInterface({ input: host.stdout }))
    return { host, answer: answerSchema.parse(JSON.parse(line)) }
  throw new Error('The host ended without a word.')
}

async function endHost(host: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  const end = once(host, 'exit')
  host.kill(signal)
  await end
}

async function killServer(server: { pid: number }, folder: string): Promise<void> {
  process.kill(server.pid, 'SIGKILL')
  expect(await gone(server.pid, join(folder, 'postgres'), 5_000)).toBe(true)
}

describe('start and stop', () => {
  test('gives a durable server on loopback only, with a private password, and leaves no process behind', async () => {
    const dir = filledFolder()
    const server = await start(dir)
    const { sql } = open(server.url)
    const [row] = await sql`
      select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
        current_setting('jit') as jit, current_setting('listen_addresses') as addresses,
        current_setting('unix_socket_directories') as sockets, current_setting('full_page_writes') as pages`
    expect(row).toEqual({ fsync: 'on', commit: 'on', jit: 'off', addresses: '127.0.0.1', sockets: '', pages: 'on' })
    expect(statSync(join(dir, 'postgres', 'cairn.password')).mode & 0o777).toBe(0o600)
    expect(server.owned).toBe(true)
    const stranger = openDatabase(server.url.replace(/:[^:@]+@/, ':wrong@'), { purpose: 'test', max: 1 })
    await expect(stranger.sql`select 1`).rejects.toMatchObject({ code: '28P01' })
    await stranger.close()
    await server.stop()
    expect(processesIn(join(dir, 'postgres'))).toEqual([])
    expect(existsSync(join(dir, 'postgres', 'postmaster.pid'))).toBe(false)
  })

  test('works in a folder with spaces, quotes and a path of more than 200 characters, and keeps its port', async () => {
    const dir = join(newFolder(), `a 'quoted' folder ${'x'.repeat(80)}`, 'y'.repeat(120), '.cairn')
    const first = await start(dir)
    await first.stop()
    const second = await start(dir)
    expect(second.port).toBe(first.port)
    expect(await open(second.url).sql`select 1 as n`).toEqual([{ n: 1 }])
  })

  test('a start that fails says why, in the words of the server’s log', async () => {
    await expect(start(filledFolder(), { settings: { shared_buffers: 'much' } })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringMatching(/postgres\.log[\s\S]*invalid value for parameter "shared_buffers"/),
    })
  })

  test('data of another major version is refused by name', async () => {
    const dir = filledFolder()
    await (await start(dir)).stop()
    writeFileSync(join(dir, 'postgres', 'PG_VERSION'), '15\n')
    await expect(start(dir)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringMatching(/PostgreSQL 15/),
    })
  })

  test('a folder that is not a database is left alone', async () => {
    const dir = newFolder()
    mkdirSync(join(dir, 'postgres'))
    writeFileSync(join(dir, 'postgres', 'notes.txt'), 'mine')
    await expect(start(dir)).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(readFileSync(join(dir, 'postgres', 'notes.txt'), 'utf8')).toBe('mine')
  })
})

describe('several starters', () => {
  test('at once on an empty folder share one server, and only its owner stops it', async () => {
    const dir = newFolder()
    const started = await Promise.all([startHost(dir), startHost(dir), startHost(dir)])
    const answers = started.map(({ answer }) => ('error' in answer ? expect.fail(answer.error) : answer))
    expect(new Set(answers.map(({ url, pid }) => `${url} ${pid}`)).size).toBe(1)
    expect(answers.filter(({ owned }) => owned)).toHaveLength(1)
    const guests = started.filter((_, n) => !answers[n]?.owned)
    for (const { host } of guests) await endHost(host)
    expect(await open(answers[0]?.url ?? '').sql`select 1 as n`).toEqual([{ n: 1 }])
  })

  test('a server whose owner was killed is adopted as it runs, and then belongs to the adopter', async () => {
    const dir = filledFolder()
    const { host, answer } = await startHost(dir)
    await endHost(host, 'SIGKILL')
    const adopted = await start(dir)
    expect(answer).toMatchObject({ url: adopted.url, pid: adopted.pid })
    expect(adopted.owned).toBe(true)
    await adopted.stop()
    expect(processesIn(join(dir, 'postgres'))).toEqual([])
  })
})

describe('after kill -9 of the server', () => {
  test('what was committed is there, also when a busy process of the dead server still runs', async () => {
    const dir = filledFolder()
    const first = await start(dir)
    const { sql } = open(first.url)
    await sql`create table kept as select 7 as n`
    const busy = sql`select count(*) from generate_series(1, 100000000000)`.execute()
    busy.catch(() => {})
    await vi.waitFor(async () => {
      expect(await sql`select 1 from pg_stat_activity where query like 'select count(*) from gen%'`).toHaveLength(1)
    })
    await killServer(first, dir)
    const second = await start(dir)
    expect(await open(second.url).sql`select n from kept`).toEqual([{ n: 7 }])
    await expect(busy).rejects.toThrow()
  })

  test.each([
    ['no process', () => 4_194_303],
    ['another program', () => process.pid],
  ])('a pid file that names %s does not stop the start', async (_, pid) => {
    const dir = filledFolder()
    const first = await start(dir)
    const file = join(dir, 'postgres', 'postmaster.pid')
    const text = readFileSync(file, 'utf8')
    await first.stop()
    writeFileSync(file, text.replace(/^\d+/, String(pid())), { mode: 0o600 })
    const second = await start(dir)
    expect(await open(second.url).sql`select 1 as n`).toEqual([{ n: 1 }])
  })

  test('a supervised server is back on the same port with its data, for clients that only try again', async () => {
    const dir = filledFolder()
    const server = await start(dir, { supervise: true })
    const { sql } = open(server.url)
    await sql`create table counted (n int)`
    for (let round = 1; round <= 2; round++) {
      const { pid } = server
      await sql`insert into counted values (${round})`
      await killServer(server, dir)
      const rows = await retrySafe(() => sql`select count(*) as n from counted`, { attempts: 40, baseDelayMs: 200 })
      expect(rows).toEqual([{ n: round }])
      await vi.waitFor(() => expect(server.pid).not.toBe(pid), { timeout: 10_000 })
    }
  })

  test('a supervised server that cannot come back is given up with the reason', async () => {
    const dir = filledFolder()
    const lost: unknown[] = []
    const server = await start(dir, { supervise: true, onLost: (error) => lost.push(error) })
    rmSync(join(dir, 'postgres', 'global', 'pg_control'))
    await killServer(server, dir)
    await vi.waitFor(() => expect(lost).toHaveLength(1), { timeout: 20_000 })
    expect(String(lost[0])).toMatch(/pg_control/)
  })

  test('stop ends the watch: a supervised server does not come back after it', async () => {
    const dir = filledFolder()
    const server = await start(dir, { supervise: true })
    await server.stop()
    await server.stop()
    expect(commandOf(server.pid)).toBeUndefined()
    expect(processesIn(join(dir, 'postgres'))).toEqual([])
  })
})

describe.runIf(isRoot)('for root', () => {
  const withoutUnshare = { path: '/nowhere' }

  test('without user namespaces the server runs as nobody, in a folder that everybody may pass', async () => {
    const dir = newFolder()
    chmodSync(dir, 0o755)
    mkdirSync(join(dir, '.cairn'), { mode: 0o700 })
    const { answer } = await startHost(join(dir, '.cairn'), withoutUnshare)
    const pid = 'error' in answer ? expect.fail(answer.error) : answer.pid
    expect(statSync(`/proc/${pid}`).uid).not.toBe(0)
  })

  test('a home folder that is closed to root’s stand-ins names the three ways out', async () => {
    const dir = newFolder()
    chmodSync(dir, 0o700)
    const { answer } = await startHost(join(dir, 'project', '.cairn'), withoutUnshare)
    expect('error' in answer && answer.error).toMatch(/ordinary user.*move the folder.*DATABASE_URL/)
  })

  test('an ordinary user needs none of this', async () => {
    const dir = newFolder()
    chmodSync(dir, 0o777)
    const { answer } = await startHost(dir, { uid: 65_534, gid: 65_534, ...withoutUnshare })
    expect(answer).toMatchObject({ owned: true })
  })
})
