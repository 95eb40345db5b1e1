import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openDatabase } from '@/db/client'
import { startEmbedded } from '@/db/embedded/start-embedded'
import { migrate } from '@/db/migrate'
import { messageOf } from '@/server/kernel/errors'
import { CliError } from '../cli-error'
import type { ServerFile } from '../connection'
import { EXIT_CODES } from '../exit-codes'
import { ensureKey, loginLink } from './access'
import { startChild } from './child'
import { watchSources } from './dev-watch'
import { lockFolder } from './lock'
import { type CairnPaths, cairnPaths, REPOSITORY } from './paths'
import { choosePort } from './port'
import { keepPostgres } from './postgres-keeper'
import { ensureWebBuilt, NEXT_BIN, requireWebBuilt } from './web-build'
import { waitForWeb } from './web-ready'

export type TreeOptions = {
  dir: string
  port: number | undefined
  /** `next dev`, and a runner that is started again when its sources change. */
  dev: boolean
  /** False: serve what was built last. */
  build: boolean
  /** Over the environment of this process, for the runner. */
  runnerEnv?: Record<string, string>
  /** Told what is going on, a sentence at a time. */
  report: (text: string) => void
  /** Stops the start at any point. */
  signal: AbortSignal
}

export type Tree = {
  url: string
  key: string
  databaseUrl: string
  /** A link that logs one browser in, once, and shows the page at `path`. */
  loginLink: (path?: string) => Promise<string>
  pids: () => { web: number | null; runner: number | null; postgres: number | null }
  /** Resolves with the reason when it cannot go on by itself (Postgres could not be brought back). */
  lost: Promise<unknown>
  /** Web, then the runner, which gives its threads back, then Postgres. Resolves when no process is left. */
  stop: () => Promise<void>
}

const WEB_GRACE_MS = 2000
/** The runner gives running steps time to finish. */
const RUNNER_GRACE_MS = 15_000
/** On other ports, when one was free and then taken. */
const WEB_TRIES = 5

/** Starts Postgres, the web server and a runner as one tree. When a part cannot start, what started is stopped again. */
export async function startTree(options: TreeOptions): Promise<Tree> {
  const paths = cairnPaths(options.dir)
  const stops: (() => Promise<void> | void)[] = []
  const stop = async () => {
    const failures: unknown[] = []
    for (let next = stops.pop(); next; next = stops.pop()) {
      try {
        await next()
      } catch (error) {
        // The rest has to stop all the same.
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  }
  try {
    return await start(options, paths, stops, stop)
  } catch (error) {
    // Why it did not start says more than what then did not stop.
    await stop().catch((failure: unknown) => options.report(`Not everything could be stopped: ${messageOf(failure)}`))
    throw error
  }
}

async function start(
  options: TreeOptions,
  paths: CairnPaths,
  stops: (() => Promise<void> | void)[],
  stop: () => Promise<void>,
): Promise<Tree> {
  const { signal, report, dev } = options
  const lock = await lockFolder(paths)
  stops.push(lock.release)
  // Known before a minute of building, though it can be taken until the web server has it.
  if (options.port !== undefined) await choosePort(options.port)

  const [database] = await settleAll([startDatabase(paths, stops, report), prepareWeb(options, paths)])
  signal.throwIfAborted()
  const db = openDatabase(database.url, { purpose: 'cli' })
  stops.push(() => db.close())
  await migrate(database.url)
  const key = await ensureKey(db, paths.key)
  signal.throwIfAborted()

  const onRestart = ({ name, how, inMs }: { name: string; how: string; inMs: number }) =>
    report(
      `The ${name} process ended (${how}); starting it again in ${inMs} ms. See ${join(paths.logs, `${name}.log`)}.`,
    )
  const instance = randomUUID()
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    DATABASE_URL: database.url,
    CAIRN_INSTANCE: instance,
    CAIRN_EMBEDDED: String(database.isEmbedded),
    NODE_ENV: dev ? 'development' : 'production',
  }
  const child = (name: string, graceMs: number, args: string[], own: Record<string, string> = {}) => {
    const logFile = join(paths.logs, `${name}.log`)
    const started = startChild({ name, args, env: { ...env, ...own }, cwd: REPOSITORY, logFile, graceMs, onRestart })
    stops.push(started.stop)
    return started
  }
  const runnerArgs = ['--import', 'tsx', join(REPOSITORY, 'server/runner/main.ts')]
  const runner = child('runner', RUNNER_GRACE_MS, runnerArgs, options.runnerEnv)
  const startWeb = async () => {
    for (let tries = 1; ; tries++) {
      const port = String(await choosePort(options.port))
      const args = [NEXT_BIN, dev ? 'dev' : 'start', '-H', '127.0.0.1', '-p', port]
      const started = child('web', WEB_GRACE_MS, args, { CAIRN_PORT: port })
      const address = `http://127.0.0.1:${port}`
      try {
        await waitForWeb({ url: address, instance }, started, signal)
        return { web: started, url: address }
      } catch (error) {
        await started.stop()
        const isTaken = error instanceof CliError && error.exitCode === EXIT_CODES.conflict
        if (!isTaken || options.port !== undefined || tries === WEB_TRIES) throw error
        report(`Another program took port ${port} meanwhile; trying the next one.`)
      }
    }
  }
  const { web, url } = await startWeb()
  if (dev) {
    const sources = watchSources(() => {
      report('Sources changed: starting the runner again.')
      void runner.restart()
    })
    stops.push(sources.close)
  }
  const server: ServerFile = { url, pid: process.pid, database: database.isEmbedded ? 'embedded' : 'external' }
  await writeFile(paths.server, JSON.stringify(server), { mode: 0o600 })
  stops.push(() => rm(paths.server, { force: true }))

  return {
    url,
    key,
    databaseUrl: database.url,
    loginLink: (path) => loginLink(db, url, path),
    pids: () => ({ web: web.pid(), runner: runner.pid(), postgres: database.pid() }),
    lost: database.lost,
    stop,
  }
}

type RunningDatabase = { url: string; isEmbedded: boolean; pid: () => number | null; lost: Promise<unknown> }

async function startDatabase(
  paths: CairnPaths,
  stops: (() => Promise<void> | void)[],
  report: (text: string) => void,
): Promise<RunningDatabase> {
  const external = process.env.DATABASE_URL
  if (external) {
    report('Using the Postgres that DATABASE_URL names.')
    return { url: external, isEmbedded: false, pid: () => null, lost: new Promise(() => undefined) }
  }
  let onLost: (error: unknown) => void = () => undefined
  const lost = new Promise<unknown>((resolve) => (onLost = resolve))
  const embedded = await startEmbedded({ dir: paths.root, supervise: true, onLost })
  const keeper = embedded.owned ? keepPostgres(paths.postgres) : null
  stops.push(async () => {
    await embedded.stop()
    keeper?.dismiss()
  })
  return { url: embedded.url, isEmbedded: true, pid: () => embedded.pid, lost }
}

async function prepareWeb({ dev, build, report, signal }: TreeOptions, paths: CairnPaths): Promise<void> {
  if (dev) return
  if (!build) return requireWebBuilt()
  await ensureWebBuilt(join(paths.logs, 'build.log'), signal, () =>
    report('Building the pages; this takes a minute, and only after their sources changed.'),
  )
}

/** Like `Promise.all`, but waits for all of them also when one fails, so that nothing starts behind our back. */
async function settleAll<A, B>(work: [Promise<A>, Promise<B>]): Promise<[A, B]> {
  await Promise.allSettled(work)
  return Promise.all(work)
}
