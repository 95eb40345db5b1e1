import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findForbiddenImports } from './boundaries'

let root = ''

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'cairn-boundaries-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const write = (file: string, text: string) => {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}

/** What the rules say about `file` with this one import; the target exists. */
function check(file: string, statement: string, target?: string): string[] {
  if (target) write(target, 'export const x = 1\n')
  write(file, `${statement}\n`)
  return findForbiddenImports(root, [file])
}

/** `file` may not import `target`, however it writes it. */
const forbidden: [file: string, target: string][] = [
  ['sdk/router.ts', 'server/kernel/errors.ts'],
  ['workflows/hello/index.ts', 'server/cas/hash.ts'],
  ['server/kernel/log.ts', 'server/access/actor.ts'],
  ['db/client.ts', 'server/threads/start.ts'],
  ['db/client.ts', 'db/queries/cas/get-object.ts'],
  ['db/queries/cas/get-object.ts', 'db/queries/threads/read-thread.ts'],
  ['server/cas/store.ts', 'server/threads/start.ts'],
  ['server/cas/store.ts', 'db/queries/threads/read-thread.ts'],
  ['server/threads/start.ts', 'db/queries/cas/get-object.ts'],
  ['server/threads/start.ts', 'server/runner/runner.ts'],
  ['server/registry/add.ts', 'server/threads/start.ts'],
  ['server/sandbox/protocol.ts', 'db/client.ts'],
  ['server/runner/runner.ts', 'server/api/root.ts'],
  ['server/runner/runner.ts', 'app/page.tsx'],
  ['server/api/root.ts', 'db/queries/threads/read-thread.ts'],
  ['server/api/root.ts', 'app/page.tsx'],
  ['app/page.tsx', 'server/api/root.ts'],
  ['app/page.tsx', 'server/threads/start.ts'],
  ['app/page.tsx', 'db/client.ts'],
  ['cli/watch.ts', 'server/api/root.ts'],
  ['cli/watch.ts', 'db/client.ts'],
  ['cli/up/tree.ts', 'server/threads/start.ts'],
  ['e2e/threads.spec.ts', 'app/page.tsx'],
  ['bench/main.ts', 'app/page.tsx'],
]

test.each(forbidden)('%s may not import %s', (file, target) => {
  const path = `@/${target.replace(/\.tsx?$/, '')}`
  expect(check(file, `import { x } from '${path}'`, target)).toHaveLength(1)
  expect(check(file, `import {\n  x,\n  y,\n} from '${path}'`, target)).toHaveLength(1)
  expect(check(file, `import '${path}'`, target)).toHaveLength(1)
  expect(check(file, `export * from '${path}'`, target)).toHaveLength(1)
  expect(check(file, `const { x } = await import('${path}')`, target)).toHaveLength(1)
  const up = '../'.repeat(file.split('/').length - 1) || './'
  expect(check(file, `import { x } from '${up}${target.replace(/\.tsx?$/, '')}'`, target)).toHaveLength(1)
})

const allowed: [file: string, target: string][] = [
  ['server/threads/start.ts', 'server/cas/store.ts'],
  ['server/threads/start.ts', 'db/queries/threads/start-thread.ts'],
  ['server/threads/start.db.test.ts', 'db/testing/test-database.ts'],
  ['server/api/thread/start.ts', 'server/threads/start.ts'],
  ['app/threads/page.tsx', 'server/threads/status.ts'],
  ['app/_trpc/server.tsx', 'server/api/root.ts'],
  ['cli/up/tree.ts', 'db/migrate.ts'],
]

test.each(allowed)('%s may import %s', (file, target) => {
  expect(check(file, `import { x } from '@/${target.replace(/\.tsx?$/, '')}'`, target)).toEqual([])
})

test('a page may name the type of the router, which vanishes when compiled', () => {
  expect(check('app/x.tsx', "import type { x } from '@/server/api/root'", 'server/api/root.ts')).toEqual([])
})

test.each(['postgres', 'drizzle-orm', 'drizzle-orm/pg-core'])('%s is imported under db/ only', (name) => {
  expect(check('server/threads/start.ts', `import { x } from '${name}'`)).toHaveLength(1)
  expect(check('server/threads/start.ts', `import type { x } from '${name}'`)).toHaveLength(1)
  expect(check('bench/floor.ts', `import x from '${name}'`)).toHaveLength(1)
  expect(check('bench/floor.ts', `import type x from '${name}'`)).toEqual([])
  expect(check('db/queries/cas/put.ts', `import { x } from '${name}'`)).toEqual([])
})

test('a refusal names the file, the line, the target and the reason', () => {
  const [message] = check('sdk/router.ts', "\nimport { x } from '@/server/cas/hash'", 'server/cas/hash.ts')
  expect(message).toBe(
    'sdk/router.ts:2 imports server/cas/hash.ts. A bundle author gets the SDK alone: it imports nothing of this repository.',
  )
})

test('an import inside a string of a test is not an import of the test', () => {
  expect(check('sdk/a.test.ts', "const source = `\nimport { x } from '../server/none'\n`")).toEqual([])
})
