import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'

export type RunnerProcess = {
  pid: number
  /** Its row in `runners`. */
  id: string
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  signal(signal: NodeJS.Signals): void
  /** Closes the channel to its parent, as the parent's death does. */
  disconnect(): void
}

const ROOT = path.resolve(import.meta.dirname, '..', '..', '..')
const alive = new Set<ChildProcess>()

/** Starts a runner in a process of its own; resolves when it says that it is ready. `endRunners` kills what is left. */
export async function startRunnerProcess(
  databaseUrl: string,
  options: { leaseMs?: number; pollMs?: number; notifications?: 'on' | 'off' } = {},
): Promise<RunnerProcess> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'server/runner/main.ts'], {
    cwd: ROOT,
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      CAIRN_LEASE_MS: String(options.leaseMs ?? 15_000),
      CAIRN_POLL_MS: String(options.pollMs ?? 200),
      CAIRN_NOTIFICATIONS: options.notifications ?? 'on',
    },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  alive.add(child)
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.once('exit', (code, signal) => {
      alive.delete(child)
      resolve({ code, signal })
    }),
  )
  const ready = new Promise<string>((resolve) =>
    child.once('message', (said: { runner: string }) => resolve(said.runner)),
  )
  const failed = exited.then(({ code, signal }) => {
    throw new Error(`The runner ended with ${code ?? signal} before it was ready.`)
  })
  const id = await Promise.race([ready, failed])
  failed.catch(() => undefined) // It was ready: later ends are `exited`.
  return {
    // It has sent a message, so it was spawned.
    pid: child.pid ?? 0,
    id,
    exited,
    signal: (signal) => void child.kill(signal),
    disconnect: () => child.disconnect(),
  }
}

/** For `afterEach`: no test leaves a runner behind, stopped ones included. */
export async function endRunners(): Promise<void> {
  const ends = [...alive].map((child) => new Promise((resolve) => child.once('exit', resolve)))
  for (const child of alive) child.kill('SIGKILL')
  await Promise.all(ends)
}
