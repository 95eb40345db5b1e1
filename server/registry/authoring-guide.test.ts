import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { execa } from 'execa'
import { afterAll, describe, expect, it } from 'vitest'
import { runToEnd } from '@/sdk/testing'
import { buildBundle } from './build'

const REPOSITORY = path.resolve(import.meta.dirname, '../..')
const folder = await mkdtemp(path.join(tmpdir(), 'cairn-guide-'))
afterAll(() => rm(folder, { recursive: true }))

const guide = await readFile(path.join(REPOSITORY, 'docs/authoring.md'), 'utf8')
const examples = [...guide.matchAll(/^```ts file=(\S+)\n([\s\S]*?)^```$/gm)].map(([, file = '', code = '']) => ({
  file,
  code,
}))
for (const { file, code } of examples) await writeFile(path.join(folder, file), code)

describe('the examples of docs/authoring.md', () => {
  it('type-check', { timeout: 60_000 }, async () => {
    await symlink(path.join(REPOSITORY, 'node_modules'), path.join(folder, 'node_modules'))
    const paths = {
      'cairn/sdk': [path.join(REPOSITORY, 'sdk/index.ts')],
      'cairn/sdk/testing': [path.join(REPOSITORY, 'sdk/testing.ts')],
    }
    const config = {
      extends: path.join(REPOSITORY, 'tsconfig.json'),
      compilerOptions: { paths, incremental: false, plugins: [], types: ['node'] },
      include: ['*.ts'],
    }
    await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify(config))
    const tsc = path.join(REPOSITORY, 'node_modules/.bin/tsc')
    const { stdout } = await execa(tsc, ['--noEmit', '-p', folder], { reject: false })
    expect(stdout).toBe('')
  })

  it('build, and run as the guide says', async () => {
    expect(examples.map(({ file }) => file)).toEqual(['index.ts', 'count.test.ts'])
    const { code } = await buildBundle(path.join(folder, 'index.ts'))
    const file = path.join(folder, 'count.esm.mjs')
    await writeFile(file, code)
    const { run } = await import(file)
    const { steps, completion } = await runToEnd(run, { input: { text: 'two words' } })
    expect(steps.map(({ role, meta }) => [role, meta])).toEqual([
      ['count', { words: 2 }],
      ['check', { agrees: true }],
    ])
    expect(completion.returnCode).toBe(0)
  })
})
