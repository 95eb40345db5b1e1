import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { z } from 'zod'
import { type Database, openDatabase } from '@/db/client'
import { startEmbedded } from '@/db/embedded/start-embedded'
import { migrate } from '@/db/migrate'
import type { Actor } from '@/server/access/actor'
import { createKey } from '@/server/access/keys'
import { initHash } from '@/server/cas/hash'
import { addWorkflow } from '@/server/registry/add'
import { buildBundle } from '@/server/registry/build'
import { limitWorkflow } from '@/server/registry/limit'
import { BOUNDS } from '@/server/threads/limits'

export const ACTOR: Actor = { name: 'bench', origin: 'api', role: 'owner' }

export type BenchEnvironment = {
  db: Database
  /** The server's first process; null when DATABASE_URL names one that may be on another machine. */
  postgresPid: number | null
  /** Starts a runner process; resolves when it has said that it is ready. */
  startRunner(env?: Record<string, string>): Promise<BenchProcess>
  /** Starts the API over HTTP in a process of its own. `headers` carry a key. */
  startApi(): Promise<BenchProcess & { url: string; headers: Record<string, string> }>
  close(): Promise<void>
}
export type BenchProcess = { pid: number; stop(): Promise<void>; kill(): Promise<void> }

const root = path.resolve(import.meta.dirname, '..', '..')

/** A Postgres of its own with the settings that users get (fsync on), unless DATABASE_URL names one to measure. */
export async function benchEnvironment(): Promise<BenchEnvironment> {
  await initHash()
  const dir = await mkdtemp(path.join(tmpdir(), 'cairn-bench-'))
  const server = process.env.DATABASE_URL === undefined ? await startEmbedded({ dir }) : null
  const url = server?.url ?? process.env.DATABASE_URL ?? ''
  await migrate(url)
  const db = openDatabase(url, { purpose: 'cli', max: 10 })
  const processes: BenchProcess[] = []
  const start = async (script: string, env: Record<string, string>) => {
    const started = await spawnPart(script, { ...env, DATABASE_URL: url, CAIRN_DIR: dir })
    processes.push(started.process)
    return started
  }
  return {
    db,
    postgresPid: server?.pid ?? null,
    startRunner: async (env = {}) => (await start('server/runner/main.ts', env)).process,
    async startApi() {
      const { key } = await createKey(db, 'bench')
      const { process, said } = await start('bench/lib/api-process.ts', {})
      const { url: address } = z.object({ url: z.string() }).parse(said)
      return { ...process, url: address, headers: { authorization: `Bearer ${key}` } }
    },
    async close() {
      await Promise.all(processes.map((process) => process.stop()))
      await db.close()
      await server?.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** Starts a program of this repository; resolves with the first message that it sends. */
async function spawnPart(
  script: string,
  env: Record<string, string>,
): Promise<{ process: BenchProcess; said: unknown }> {
  const flags = process.env.BENCH_NODE_FLAGS?.split(' ') ?? []
  const child = spawn(process.execPath, [...flags, '--import', 'tsx', script], {
    cwd: root,
    env: { ...process.env, CAIRN_LOG: 'warn', ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const said = await new Promise<unknown>((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', (code) => reject(new Error(`${script} ended with ${code} before it was ready.`)))
  })
  const end = (signal: NodeJS.Signals) => () => endProcess(child, signal)
  return { process: { pid: child.pid ?? 0, stop: end('SIGTERM'), kill: end('SIGKILL') }, said }
}

async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  await exited
}

/** Registers `bench/workflows/<name>.ts`; `variant` gives other bytes, so another bundle. */
export async function registerBenchWorkflow(db: Database, name: string, variant = ''): Promise<string> {
  const { code } = await buildBundle(path.join(root, 'bench', 'workflows', `${name}.ts`))
  const source = variant === '' ? code : `${code}\n// ${variant}\n`
  const added = await addWorkflow(db, { name, fileName: `${name}.esm.js`, source }, ACTOR)
  // A benchmark starts more at once than a team does: nothing of it is to be dropped.
  await limitWorkflow(db, { name, limits: { queueDepth: BOUNDS.queueDepth.ceiling } }, ACTOR)
  return added.hash
}

/** Waits until no thread is unfinished, looking every `pollMs`; rejects after `seconds`. */
export async function untilDone(db: Database, seconds: number, pollMs = 50): Promise<void> {
  for (const until = Date.now() + seconds * 1000; ; ) {
    const [row] = await db.sql<{ left: number }[]>`
      select count(*)::int as left from threads where status in ('queued', 'running')`
    if (row?.left === 0) return
    if (Date.now() > until) throw new Error(`${row?.left} threads were not done after ${seconds} s.`)
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}
