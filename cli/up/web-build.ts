import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { access, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CliError } from '../cli-error'
import { EXIT_CODES } from '../exit-codes'
import { endProcess, sizeOf, spawnNode, tailOf } from './child'
import { REPOSITORY } from './paths'

export const NEXT_BIN = join(REPOSITORY, 'node_modules/next/dist/bin/next')
const OUTPUT = join(REPOSITORY, '.next')
/** Kept with the output, so that deleting the one deletes the other. */
const STAMP = join(OUTPUT, 'cairn-inputs')

const INPUT_FOLDERS = ['app', 'server', 'db', 'sdk', 'public']
const INPUT_FILES = ['next.config.ts', 'postcss.config.mjs', 'proxy.ts', 'tsconfig.json', 'package-lock.json']

/** Builds the pages when their sources are not those of the last build. Returns whether it built. */
export async function ensureWebBuilt(logFile: string, signal: AbortSignal, onBuild: () => void): Promise<boolean> {
  const inputs = await hashInputs()
  if ((await isBuilt()) && (await readFile(STAMP, 'utf8').catch(() => null)) === inputs) return false
  onBuild()
  const logStart = sizeOf(logFile)
  const child = spawnNode({
    args: [NEXT_BIN, 'build'],
    env: { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
    cwd: REPOSITORY,
    logFile,
    graceMs: 1000,
  })
  const stop = () => void endProcess(child, 1000)
  signal.addEventListener('abort', stop, { once: true })
  const [code] = await once(child, 'exit')
  signal.removeEventListener('abort', stop)
  signal.throwIfAborted()
  if (code !== 0) {
    const tail = tailOf(logFile, logStart).split('\n').slice(-30).join('\n')
    throw new CliError(
      EXIT_CODES.failed,
      `The pages could not be built (next build ended with ${code}). Correct what it says and start again; all of it is in ${logFile}.\n\n${tail}`,
    )
  }
  await writeFile(STAMP, inputs)
  return true
}

/** With --no-build: there must be something to serve. */
export async function requireWebBuilt(): Promise<void> {
  if (await isBuilt()) return
  throw new CliError(EXIT_CODES.failed, 'The pages were never built. Start once without --no-build.')
}

async function isBuilt(): Promise<boolean> {
  return access(join(OUTPUT, 'BUILD_ID')).then(
    () => true,
    () => false,
  )
}

/** Of the paths and bytes of everything that the pages are made from; tests are not. */
async function hashInputs(): Promise<string> {
  const files = [...INPUT_FILES, ...(await Promise.all(INPUT_FOLDERS.map(listFiles))).flat()].sort()
  const hash = createHash('sha256')
  for (const file of files) {
    const bytes = await readFile(join(REPOSITORY, file)).catch(() => null)
    if (bytes) hash.update(`${file}\0${bytes.length}\0`).update(bytes)
  }
  return hash.digest('hex')
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(join(REPOSITORY, folder), { withFileTypes: true, recursive: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(REPOSITORY.length + 1))
}
