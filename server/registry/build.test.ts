import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { hashBytes, initHash } from '@/server/cas/hash'
import { isAppError } from '@/server/kernel/errors'
import { buildBundle } from './build'
import { validateBundle } from './validate'

const HELLO = path.resolve(import.meta.dirname, '../../workflows/hello')
const root = await mkdtemp(path.join(tmpdir(), 'cairn-build-'))
afterAll(() => rm(root, { recursive: true }))
await initHash()

async function source(name: string, files: Record<string, string>): Promise<string> {
  const folder = path.join(root, name)
  for (const [file, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true })
    await writeFile(path.join(folder, file), text)
  }
  return path.join(folder, 'index.ts')
}

async function rejection(entry: string) {
  const error = await buildBundle(entry).then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!isAppError(error)) throw new Error(`expected an AppError, got ${String(error)}`)
  return error
}

const ENTRY = 'export async function* run() { return { returnCode: 0, summary: "" } }\nexport const descriptor = {}\n'

describe('a built workflow', () => {
  it('is one file that imports nothing but Node and passes validation, named by its hash', async () => {
    const { code, hash, warnings } = await buildBundle(path.join(HELLO, 'index.ts'))
    expect(hash).toBe(hashBytes(code))
    expect(warnings).toEqual([])
    expect(validateBundle({ name: 'hello', fileName: 'hello.esm.js', source: code }).findings).toEqual([])
    expect(code).not.toMatch(/^import .* from "(?!node:)/m)
  })

  it('has the same bytes in every folder, also where nothing is installed, and names no folder of the machine', async () => {
    const there = path.join(root, 'deep/er/hello')
    await cp(HELLO, there, { recursive: true })
    const here = await buildBundle(path.join(HELLO, 'index.ts'))
    const { code, hash } = await buildBundle(path.join(there, 'index.ts'))
    expect(code).toBe(here.code)
    expect(hash).toBe(here.hash)
    expect(code).toContain('// cairn/sdk/create-workflow.ts')
    for (const trace of [root, HELLO, process.cwd(), 'node_modules/']) expect(code).not.toContain(trace)
  })

  it('names CommonJS packages the same wherever they are installed', async () => {
    const pkg = { 'package.json': '{"name":"left"}', 'index.js': 'module.exports = () => 42' }
    const inside = (folder: string) =>
      Object.fromEntries(Object.entries(pkg).map(([file, text]) => [`${folder}node_modules/left/${file}`, text]))
    const entry = `import left from 'left'\n${ENTRY}export { left as unused }\n`.replace(
      'export { left as unused }',
      'globalThis.left = left()',
    )
    const near = await source('near/a', { 'index.ts': entry, ...inside('') })
    const far = await source('far/b/c', { 'index.ts': entry })
    await source('far', inside(''))
    const built = await buildBundle(near)
    expect(built.code).toContain('left/index.js')
    expect((await buildBundle(far)).code).toBe(built.code)
  })
})

describe('a workflow that cannot be built', () => {
  it('names file, line and column of every error', async () => {
    const error = await rejection(await source('broken', { 'index.ts': `import './gone'\n${ENTRY}`, 'b.ts': '' }))
    expect(error.code).toBe('BUNDLE_REJECTED')
    expect(error.message).toMatch(/index\.ts:1:8: .*\.\/gone/)
    expect(error.data).toMatchObject({ findings: [{ line: 1, column: 8 }] })
  })

  it('names the syntax error in a file that it imports', async () => {
    const error = await rejection(
      await source('syntax', { 'index.ts': `import './lib/bad'\n${ENTRY}`, 'lib/bad.ts': 'const x = 1\nlet y = ;\n' }),
    )
    expect(error.message).toMatch(/lib\/bad\.ts:2:9: Unexpected ";"/)
  })

  it.each([
    ['exports more than run and descriptor', `${ENTRY}export const extra = 1`, /Exports extra/],
    ['exports no descriptor', 'export function run() {}', /does not export descriptor/],
    ['has a default export', `${ENTRY}export default run`, /no default export/],
    [
      'loads code while it runs',
      `${ENTRY}export const x = 1`.replace('export const x = 1', 'await import(process.argv[9])'),
      /import\(\) is not allowed/,
    ],
  ])('is refused when it %s', async (what, text, message) => {
    const error = await rejection(await source(what.replaceAll(' ', '-'), { 'index.ts': text }))
    expect(error.code).toBe('BUNDLE_REJECTED')
    expect(error.message).toMatch(message)
  })

  it('is not found where there is no file', async () => {
    expect(await rejection(path.join(root, 'nowhere.ts'))).toMatchObject({ code: 'NOT_FOUND' })
  })
})
