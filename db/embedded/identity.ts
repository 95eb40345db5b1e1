import { execFile } from 'node:child_process'
import { chmodSync, chownSync, existsSync, readFileSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { AppError, messageOf } from '@/server/kernel/errors'

const run = promisify(execFile)

/** As whom the server runs. Postgres refuses to run as root, so root has to become somebody else. */
export type Identity = {
  /** For logs and errors. */
  name: string
  /** Words before the command line. */
  prefix: string[]
  /** For `spawn`. A bare environment: the server needs no secret, and no PG* variable of the user's may reach it. */
  spawn: { uid?: number; gid?: number; cwd: string; env: NodeJS.ProcessEnv }
  /** Owner of the files outside; undefined = the current user. */
  owner: { uid: number; gid: number } | undefined
}

const BARE = {
  cwd: '/',
  env: { NODE_ENV: process.env.NODE_ENV, PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C' },
}

const ME: Identity = { name: 'the current user', prefix: [], spawn: BARE, owner: undefined }

type Account = { name: string; uid: number; gid: number }

/**
 * Chooses whom to run as, for a data folder that exists or is about to be made in `parent`.
 * For root, in this order: a user namespace in which root looks like an ordinary user (the files stay root's, any folder
 * works); the owner of the nearest folder above that is not root's, as in a home folder; `nobody`. Each is tried out before it is chosen.
 */
export async function chooseIdentity(dataFolder: string, postgres: string): Promise<Identity> {
  const parent = dirname(dataFolder)
  const uid = process.geteuid?.()
  const owner = existsSync(dataFolder) ? statSync(dataFolder) : undefined
  if (uid !== 0) {
    if (owner && uid !== undefined && owner.uid !== uid) throw foreignFolder(dataFolder, owner.uid, uid)
    if (hasName()) return ME
  }
  const candidates = uid !== 0 ? [...namespaces(), ME] : owner ? forExisting(owner) : forNew(parent)
  const refusals: string[] = []
  for (const candidate of candidates) {
    const refusal = await tryOut(candidate, parent, postgres)
    if (refusal === undefined) return candidate
    refusals.push(`${candidate.name}: ${refusal}`)
  }
  throw new AppError(
    'UNAVAILABLE',
    `Postgres does not run as root, and nobody else can run it in ${parent} (${refusals.join('; ')}). ` +
      'Either run Cairn as an ordinary user, or move the folder to where every user may go, like /srv or /tmp, ' +
      'or set DATABASE_URL to a Postgres of your own.',
    { dependency: 'embedded Postgres' },
  )
}

/** Gives `path` to whom the server runs as. */
export function handOver(path: string, identity: Identity): void {
  if (identity.owner) chownSync(path, identity.owner.uid, identity.owner.gid)
}

function forExisting(owner: { uid: number; gid: number }): Identity[] {
  return owner.uid === 0 ? namespaces() : [asUser(owner)]
}

function forNew(parent: string): Identity[] {
  const nobody = accounts().find((account) => account.name === 'nobody')
  const owner = nearestOwner(parent)
  return [...namespaces(), ...(owner ? [asUser(owner)] : []), ...(nobody ? [asUser(nobody, 'nobody')] : [])]
}

/** Owner of the nearest folder, from `folder` upwards, that does not belong to root. */
function nearestOwner(folder: string): { uid: number; gid: number } | undefined {
  const { uid, gid } = statSync(folder)
  if (uid !== 0) return { uid, gid }
  return dirname(folder) === folder ? undefined : nearestOwner(dirname(folder))
}

function asUser({ uid, gid }: { uid: number; gid: number }, name = `user ${uid}`): Identity {
  return { name, prefix: [], spawn: { ...BARE, uid, gid }, owner: { uid, gid } }
}

/** Containers run as users that have no name, and initdb refuses those. */
function hasName(): boolean {
  try {
    return userInfo().username !== ''
  } catch {
    return false
  }
}

/** A namespace in which the current user looks like one that /etc/passwd names, because initdb asks for the name. */
function namespaces(): Identity[] {
  const other = accounts().find((account) => account.uid !== 0)
  if (process.platform !== 'linux' || !other) return []
  const prefix = ['unshare', '--user', `--map-user=${other.uid}`, '--']
  return [{ name: 'user namespace', prefix, spawn: BARE, owner: undefined }]
}

function accounts(): Account[] {
  if (!existsSync('/etc/passwd')) return []
  return readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter(({ name, uid, gid }) => name !== '' && Number.isInteger(uid) && Number.isInteger(gid))
}

/** Undefined when the identity can run the server's binary and use the folder; else what stopped it. */
async function tryOut(identity: Identity, parent: string, postgres: string): Promise<string | undefined> {
  const { uid, mode } = statSync(parent)
  const given = identity.owner !== undefined && identity.owner.uid !== uid
  // The data folder inside will be given to that user, who must be able to pass through this one, which is root's own.
  if (given && uid === 0) chmodSync(parent, (mode & 0o777) | 0o011)
  const script = `test -x "$1" ${given ? '' : '-a -w "$1"'} || { echo "$1 is closed to it" >&2; exit 1; }; exec "$2" --version`
  const [command = '', ...args] = [...identity.prefix, '/bin/sh', '-c', script, 'sh', parent, postgres]
  try {
    await run(command, args, { ...identity.spawn, timeout: 10_000 })
    return undefined
  } catch (error) {
    const text = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
    return text || messageOf(error)
  }
}

function foreignFolder(folder: string, owner: number, uid: number): AppError<'UNAVAILABLE'> {
  return new AppError(
    'UNAVAILABLE',
    `The database folder ${folder} belongs to user ${owner}, and this is user ${uid}. ` +
      'Run Cairn as its owner, give the folder to this user, or choose another one.',
    { dependency: 'embedded Postgres' },
  )
}
