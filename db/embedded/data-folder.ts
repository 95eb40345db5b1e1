import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { AppError, messageOf } from '@/server/kernel/errors'
import type { Binaries } from './binaries'
import { handOver, type Identity } from './identity'

const run = promisify(execFile)

export const SUPERUSER = 'cairn'
const PASSWORD_FILE = 'cairn.password'

/**
 * Makes the data folder when there is none, complete or not at all: it is made under another name and renamed. Of two
 * callers at once one wins, and both then use its folder. Without
 * `durable` it may be damaged by a power failure soon after. Throws when another major version of Postgres made it.
 */
export async function ensureDataFolder(
  dataFolder: string,
  binaries: Binaries,
  identity: Identity,
  options: { durable: boolean },
): Promise<void> {
  if (existsSync(join(dataFolder, 'PG_VERSION'))) return refuseOtherVersion(dataFolder, binaries, identity)
  if (existsSync(dataFolder)) {
    throw new AppError(
      'CONFLICT',
      `${dataFolder} exists but is not a Postgres data folder (it has no PG_VERSION). Move it away, then start again.`,
      {},
    )
  }
  const parent = dirname(dataFolder)
  mkdirSync(parent, { recursive: true })
  const work = mkdtempSync(join(parent, 'postgres-init-'))
  try {
    await initialise(work, binaries, identity, options.durable ? [] : ['--no-sync'])
    renameOrYield(join(work, 'data'), dataFolder)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

export function readPassword(dataFolder: string): string {
  return readFileSync(join(dataFolder, PASSWORD_FILE), 'utf8').trim()
}

async function initialise(work: string, binaries: Binaries, identity: Identity, words: string[]): Promise<void> {
  const data = join(work, 'data')
  const passwordFile = join(work, PASSWORD_FILE)
  mkdirSync(data, { mode: 0o700 })
  writeFileSync(passwordFile, randomBytes(24).toString('hex'), { mode: 0o600 })
  for (const path of [work, data, passwordFile]) handOver(path, identity)
  const [command = '', ...args] = [
    ...identity.prefix,
    binaries.initdb,
    ...words,
    ...['-D', data, '-U', SUPERUSER, '--pwfile', passwordFile, '--auth=scram-sha-256', '--encoding=UTF8'],
    // The provider inside Postgres: the same order of text on every machine.
    ...['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'],
  ]
  try {
    await run(command, args, { ...identity.spawn, timeout: 120_000 })
  } catch (error) {
    const output = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
    throw new AppError(
      'UNAVAILABLE',
      `The database folder could not be made in ${dirname(work)}: ${output || messageOf(error)}`,
      { dependency: 'embedded Postgres' },
      { cause: error },
    )
  }
  renameSync(passwordFile, join(data, PASSWORD_FILE))
}

/** Leaves the folder of another starter in place when it was faster. */
function renameOrYield(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if (!existsSync(join(to, 'PG_VERSION'))) throw error
  }
}

async function refuseOtherVersion(dataFolder: string, binaries: Binaries, identity: Identity): Promise<void> {
  const made = readFileSync(join(dataFolder, 'PG_VERSION'), 'utf8').trim()
  const [command = '', ...args] = [...identity.prefix, binaries.postgres, '--version']
  const { stdout } = await run(command, args, identity.spawn)
  const ours = /(\d+)(\.\d+)*\s*$/.exec(stdout.trim())?.[0].split('.')[0] ?? stdout.trim()
  if (made === ours) return
  throw new AppError(
    'CONFLICT',
    `The data in ${dataFolder} was made by PostgreSQL ${made}; this version of Cairn brings PostgreSQL ${ours}, which cannot ` +
      'read it. Start the version of Cairn that made it, or move the folder away to begin with an empty database.',
    { current: made },
  )
}
