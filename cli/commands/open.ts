import { openDatabase } from '@/db/client'
import { startEmbedded } from '@/db/embedded/start-embedded'
import { log } from '@/server/kernel/log'
import { CliError } from '../cli-error'
import { findFolder } from '../connection'
import { EXIT_CODES } from '../exit-codes'
import { connectionOptions, parseOptions } from '../options'
import type { Handler } from '../program'
import { loginLink } from '../up/access'
import { findHolder } from '../up/lock'
import { cairnPaths } from '../up/paths'

/** Needs no key but the database itself: who may read the folder may log in. */
export const open: Handler = async (io, _args, raw) => {
  if (process.env.CAIRN_LOG === undefined) log.level = 'warn'
  const folder = await findFolder(parseOptions(connectionOptions, raw), process.env, process.cwd())
  if (!folder || (await findHolder(cairnPaths(folder.path))) === null) {
    throw new CliError(EXIT_CODES.unreachable, 'No Cairn runs in this folder or above it. Start it with "cairn up".')
  }
  const db = openDatabase(await databaseUrl(folder.path, folder.server.database), { purpose: 'cli', max: 1 })
  try {
    const login = await loginLink(db, folder.server.url)
    io.result({ url: folder.server.url, login }, () => `${login}\n`)
    return EXIT_CODES.ok
  } finally {
    await db.close()
  }
}

async function databaseUrl(dir: string, kind: 'embedded' | 'external'): Promise<string> {
  if (kind === 'embedded') {
    // It runs already and belongs to `cairn up`: this finds it, and leaves it running.
    return (await startEmbedded({ dir })).url
  }
  const url = process.env.DATABASE_URL
  if (url) return url
  throw new CliError(EXIT_CODES.usage, 'This Cairn was started with DATABASE_URL. Set the same here, then try again.')
}
