import { link, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { birthOf } from '@/db/embedded/process-table'
import { CliError } from '../cli-error'
import { parseServerFile } from '../connection'
import { EXIT_CODES } from '../exit-codes'
import type { CairnPaths } from './paths'

const lockSchema = z.object({ pid: z.number().int().positive(), birth: z.string() })
type LockHolder = z.infer<typeof lockSchema>

/**
 * Makes this process the only `cairn up` of a folder, until `release`. A lock whose process is gone is taken over.
 * Throws when another process holds it, or when the folder cannot be written.
 */
export async function lockFolder(paths: CairnPaths): Promise<{ release: () => Promise<void> }> {
  await makeFolder(paths)
  const mine: LockHolder = { pid: process.pid, birth: birthOf(process.pid) ?? '' }
  const draft = `${paths.lock}.${process.pid}`
  await writeFile(draft, JSON.stringify(mine), { mode: 0o600 })
  try {
    await takeLock(draft, paths)
  } finally {
    await rm(draft, { force: true })
  }
  return { release: () => rm(paths.lock, { force: true }) }
}

/** Linking fails when the name exists: of any number of processes exactly one wins. */
async function takeLock(draft: string, paths: CairnPaths): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    if (await tryLink(draft, paths.lock)) return
    const holder = await readHolder(paths.lock)
    if (holder && isHeldBy(holder)) throw await alreadyRunning(paths, holder.pid)
    await removeStale(paths.lock)
    if (tries > 0) await delay(20)
  }
  throw new CliError(
    EXIT_CODES.failed,
    `${paths.lock} is left over from a Cairn that is gone, and cannot be taken over. Delete it and ${paths.lock}.stale, then start again.`,
  )
}

async function makeFolder(paths: CairnPaths): Promise<void> {
  try {
    await makeFolders(paths.logs)
    await writeFile(`${paths.root}/.gitignore`, '*\n')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error
    throw new CliError(
      EXIT_CODES.failed,
      `The folder ${paths.root} cannot be written (${code}). Make it writable, or name another with --dir.`,
      { cause: error },
    )
  }
}

/** As `mkdir -p`; Node's own goes on for ever in a folder that takes no entries, like /proc. */
async function makeFolders(path: string): Promise<void> {
  const make = () => mkdir(path, { mode: 0o700 })
  await make().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST' && (await stat(path)).isDirectory()) return
    if (error.code !== 'ENOENT' || dirname(path) === path) throw error
    await makeFolders(dirname(path))
    await make()
  })
}

async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

async function readHolder(path: string): Promise<LockHolder | null> {
  try {
    return lockSchema.safeParse(JSON.parse(await readFile(path, 'utf8'))).data ?? null
  } catch {
    // Gone meanwhile, or not JSON: nobody that we know of holds it.
    return null
  }
}

/**
 * Takes a stale lock away, and no other: who makes a second link to it, under a name that only one can make, may remove
 * it, after looking that what was linked is the stale one still.
 */
async function removeStale(path: string): Promise<void> {
  const claim = `${path}.stale`
  try {
    if (!(await tryLink(path, claim))) return
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return
    throw error
  }
  const claimed = await readHolder(claim)
  if (!claimed || !isHeldBy(claimed)) await rm(path, { force: true })
  await rm(claim, { force: true })
}

async function alreadyRunning(paths: CairnPaths, pid: number): Promise<CliError> {
  const text = await readFile(paths.server, 'utf8').catch(() => '')
  const url = parseServerFile(text)?.url
  return new CliError(
    EXIT_CODES.conflict,
    `Cairn runs already in ${paths.root}: ${url ?? 'it is starting'} (process ${pid}). ` +
      'Use "cairn open" for a login link, stop it with Ctrl-C in its terminal, or start another with --dir.',
  )
}

/** The process number of the `cairn up` that runs in a folder, or null. */
export async function findHolder(paths: CairnPaths): Promise<number | null> {
  const holder = await readHolder(paths.lock)
  return holder && isHeldBy(holder) ? holder.pid : null
}

/** Whether the process that wrote this lock still runs; a process that got its number later does not count. */
function isHeldBy(holder: LockHolder): boolean {
  return birthOf(holder.pid) === holder.birth
}
