import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

let building: Promise<string> | undefined

/**
 * Path of the shim, which workers get as their standard input: built from `shim/` into `directory` under the hash of its bytes.
 * Built once a process; a file that another process wrote with the same bytes is used as it is.
 */
export function shimFile(directory = path.resolve(process.env.CAIRN_DIR ?? '.cairn', 'sandbox')): Promise<string> {
  building ??= buildShim(directory).catch((error: unknown) => {
    building = undefined
    throw error
  })
  return building
}

async function buildShim(directory: string): Promise<string> {
  const here = path.dirname(fileURLToPath(import.meta.url))
  const built = await build({
    entryPoints: [path.join(here, 'shim', 'main.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    minify: false,
    absWorkingDir: path.resolve(here, '..', '..'),
    tsconfig: path.resolve(here, '..', '..', 'tsconfig.json'),
  })
  const code = built.outputFiles[0]?.contents ?? new Uint8Array()
  const file = path.join(directory, `shim-${createHash('sha256').update(code).digest('hex').slice(0, 16)}.mjs`)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const present = await stat(file).then(
    () => readFile(file),
    () => null,
  )
  if (!present?.equals(code)) {
    const draft = `${file}.${randomBytes(6).toString('hex')}`
    await writeFile(draft, code, { mode: 0o600 })
    await rename(draft, file)
  }
  return file
}
