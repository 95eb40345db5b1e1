import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '@/server/kernel/errors'
import { log } from '@/server/kernel/log'
import { connect } from '../client'
import { mapDatabaseError } from '../errors'
import { findBinaries } from './binaries'
import { bringUp, type Site } from './bring-up'
import { ensureDataFolder, readPassword, SUPERUSER } from './data-folder'
import { chooseIdentity } from './identity'
import { dropOwnership, ownership, takeOwnership } from './owner'
import { stopPostmaster } from './stop'
import { supervise } from './supervise'

export type EmbeddedOptions = {
  /** The server lives in `<dir>/postgres` and logs to `<dir>/postgres.log`. */
  dir: string
  /** Starts it again on the same port when it dies; gives up after some tries, see supervise.ts. */
  supervise?: boolean
  /** Called once when a supervised server could not be brought back. */
  onLost?: (error: unknown) => void
  /** Server settings over ours. */
  settings?: Record<string, string>
}

export type Embedded = {
  /** Of the database `cairn`, with the password in it: do not log it. */
  url: string
  port: number
  /** The server now; another one after a restart. */
  readonly pid: number
  /** False when another living process started it: then `stop` leaves it to that one. */
  readonly owned: boolean
  /** Stops the server and comes back when its last process is gone. */
  stop(): Promise<void>
}

const DATABASE = 'cairn'

/**
 * A real Postgres from npm. Starts it, or adopts the one that runs on the folder already: one whose owner was killed becomes
 * ours, one whose owner lives is shared. The server outlives this process unless `stop` is called.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  mkdirSync(options.dir, { recursive: true })
  const dir = realpathSync(options.dir)
  const dataFolder = join(dir, 'postgres')
  const binaries = findBinaries()
  const identity = await chooseIdentity(dataFolder, binaries.postgres)
  await ensureDataFolder(dataFolder, binaries, identity, { durable: options.settings?.fsync !== 'off' })
  const site: Site = {
    dataFolder,
    logFile: join(dir, 'postgres.log'),
    postgres: binaries.postgres,
    identity,
    settings: options.settings ?? {},
  }

  const running = await bringUp(site)
  const owned = ownership(dataFolder, running.pid) !== 'other'
  if (owned) takeOwnership(dataFolder)
  const url = `postgres://${SUPERUSER}:${readPassword(dataFolder)}@127.0.0.1:${running.port}/${DATABASE}`
  await ensureDatabase(url)
  log.info(
    { pid: running.pid, port: running.port, as: identity.name, adopted: !running.started, owned },
    'embedded Postgres is ready',
  )

  const supervisor = options.supervise && owned ? supervise(site, running, options.onLost) : undefined
  const current = () => supervisor?.current() ?? running
  return {
    url,
    port: running.port,
    get pid() {
      return current().pid
    },
    get owned() {
      return owned && ownership(dataFolder, current().pid) === 'mine'
    },
    async stop() {
      await supervisor?.stop()
      if (!owned || ownership(dataFolder, current().pid) !== 'mine') return
      await stopPostmaster(current().pid, dataFolder)
      dropOwnership(dataFolder)
    },
  }
}

async function ensureDatabase(url: string): Promise<void> {
  const address = new URL(url)
  address.pathname = '/postgres'
  const sql = connect(address.href, { max: 1, connection: { application_name: 'cairn-start' } })
  try {
    const [row] = await sql`select 1 from pg_database where datname = ${DATABASE}`
    if (!row) await sql`create database ${sql(DATABASE)}`.catch(ignoreExisting)
  } catch (error) {
    const mapped = mapDatabaseError(error)
    if (mapped instanceof AppError) throw mapped
    throw error
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** Another starter made it in between. */
function ignoreExisting(error: unknown): void {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code !== '42P04' && code !== '23505') throw error
}
