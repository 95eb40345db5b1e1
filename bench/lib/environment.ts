import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Database, openDatabase } from '@/db/client'
import { startEmbedded } from '@/db/embedded/start-embedded'
import { migrate } from '@/db/migrate'
import type { Actor } from '@/server/access/actor'
import { initHash } from '@/server/cas/hash'
import { addWorkflow } from '@/server/registry/add'
import { buildBundle } from '@/server/registry/build'

export const ACTOR: Actor = { name: 'bench', origin: 'api', role: 'owner' }

export type BenchEnvironment = {
  db: Database
  /** Starts a runner process; resolves when it has said that it is ready. */
  startRunner(env?: Record<string, string>): Promise<RunnerProcess>
  close(): Promise<void>
}
export type RunnerProcess = { pid: number; stop(): Promise<void> }

const root = path.resolve(import.meta.dirname, '..', '..')

/** A Postgres of its own with the settings that users get (fsync on), unless DATABASE_URL names one to measure. */
export async function benchEnvironment(): Promise<BenchEnvironment> {
  await initHash()
  const dir = await mkdtemp(path.join(tmpdir(), 'cairn-bench-'))
  const server = process.env.DATABASE_URL === undefined ? await startEmbedded({ dir }) : null
  const url = server?.url ?? process.env.DATABASE_URL ?? ''
  await migrate(url)
  const db = openDatabase(url, { purpose: 'cli', max: 10 })
  const runners: RunnerProcess[] = []
  return {
    db,
    async startRunner(env = {}) {
      const runner = await spawnRunner({ ...env, DATABASE_URL: url, CAIRN_DIR: dir })
      runners.push(runner)
      return runner
    },
    async close() {
      await Promise.all(runners.map((runner) => runner.stop()))
      await db.close()
      await server?.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

async function spawnRunner(env: Record<string, string>): Promise<RunnerProcess> {
  const child = spawn(
    process.execPath,
    [...(process.env.BENCH_NODE_FLAGS?.split(' ') ?? []), '--import', 'tsx', 'server/runner/main.ts'],
    {
      cwd: root,
      env: { ...process.env, CAIRN_LOG: 'warn', ...env },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    },
  )
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve())
    child.once('exit', (code) => reject(new Error(`The runner ended with ${code} before it was ready.`)))
  })
  return { pid: child.pid ?? 0, stop: () => stopProcess(child) }
}

async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await exited
}

/** Registers `bench/workflows/<name>.ts`; `variant` gives other bytes, so another bundle. */
export async function registerBenchWorkflow(db: Database, name: string, variant = ''): Promise<string> {
  const { code } = await buildBundle(path.join(root, 'bench', 'workflows', `${name}.ts`))
  const source = variant === '' ? code : `${code}\n// ${variant}\n`
  const added = await addWorkflow(db, { name, fileName: `${name}.esm.js`, source }, ACTOR)
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
