import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import { CliError } from './cli-error'
import type { Environment } from './environment'
import { EXIT_CODES } from './exit-codes'

/** `.cairn/server.json`: written by `cairn up` while it runs. */
export const serverFileSchema = z.object({
  url: z.url(),
  /** Of `cairn up`. */
  pid: z.number().int().positive(),
  /** External: the one that DATABASE_URL named. */
  database: z.enum(['embedded', 'external']),
})
export type ServerFile = z.infer<typeof serverFileSchema>

export type Connection = {
  /** Origin without a trailing slash. */
  url: string
  key: string | null
}
export type ConnectionFlags = { url?: string | undefined; key?: string | undefined; dir?: string | undefined }

/**
 * Where the server is and what key to show it: flags, then CAIRN_URL and CAIRN_KEY, then the `.cairn` folder of this
 * folder or the nearest parent that has one. A key from a `.cairn` folder is shown only to the server of that folder.
 */
export async function findConnection(flags: ConnectionFlags, env: Environment, cwd: string): Promise<Connection> {
  const given = flags.url ?? env.CAIRN_URL
  const givenKey = flags.key ?? env.CAIRN_KEY ?? null
  const folder = flags.dir ?? env.CAIRN_DIR
  if (given && givenKey) return { url: parseUrl(given), key: givenKey }

  const local = folder ? await readFolder(resolve(cwd, folder)) : await nearestFolder(cwd)
  if (given) {
    const url = parseUrl(given)
    return { url, key: local?.server && parseUrl(local.server.url) === url ? local.key : null }
  }
  if (!local?.server) {
    const where = folder
      ? `${folder} has no server.json`
      : `no .cairn folder with a running server here or above ${cwd}`
    throw new CliError(
      EXIT_CODES.unreachable,
      `No Cairn server is known: ${where}. Start one with "cairn up", or name one with --url or CAIRN_URL.`,
    )
  }
  return { url: parseUrl(local.server.url), key: givenKey ?? local.key }
}

function parseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new CliError(
      EXIT_CODES.usage,
      `"${text}" is not the address of a server. It looks like http://127.0.0.1:4400.`,
    )
  }
  return (url.origin + url.pathname).replace(/\/+$/, '')
}

type Folder = { path: string; server: ServerFile | null; key: string | null }

/** The folder named by flag or environment, or the nearest one with a running server, and what its `server.json` says. */
export async function findFolder(
  flags: ConnectionFlags,
  env: Environment,
  cwd: string,
): Promise<{ path: string; server: ServerFile } | null> {
  const named = flags.dir ?? env.CAIRN_DIR
  const folder = named ? await readFolder(resolve(cwd, named)) : await nearestFolder(cwd)
  return folder?.server ? { path: folder.path, server: folder.server } : null
}

async function nearestFolder(cwd: string): Promise<Folder | null> {
  for (let at = cwd; ; at = dirname(at)) {
    const found = await readFolder(join(at, '.cairn'))
    if (found.server) return found
    if (dirname(at) === at) return null
  }
}

async function readFolder(path: string): Promise<Folder> {
  const [server, key] = await Promise.all([readIfThere(join(path, 'server.json')), readIfThere(join(path, 'key'))])
  return { path, server: server === null ? null : parseServerFile(server), key: key?.trim() || null }
}

/** The content of `server.json`, or null when it is not one (a cut-off write, another program's file). */
export function parseServerFile(text: string): ServerFile | null {
  try {
    return serverFileSchema.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    if (code === 'EACCES')
      throw new CliError(EXIT_CODES.notAllowed, `${path} cannot be read by this user.`, { cause: error })
    throw error
  }
}
