import { expect, test } from 'vitest'
import { readExplained, readMentions } from './docs'

const textsOf = (markdown: string, kind: string) =>
  readMentions(markdown).flatMap((mention) => (mention.kind === kind ? [mention.text] : []))

test('paths in code spans are found, other code is not taken for one', () => {
  const markdown =
    'See `db/client.ts`, `app/(dashboard)/threads/[id]/page.tsx` and `.ci/run`; not `a | b`, `FOR UPDATE`, `*.test.ts`, `index.ts`.'
  expect(textsOf(markdown, 'path')).toEqual(['db/client.ts', 'app/(dashboard)/threads/[id]/page.tsx', '.ci/run'])
})

test('scripts and commands are found in code spans and in shell blocks, also several in one line', () => {
  const markdown =
    'Run `npm ci && npm test`.\n\n```sh\nnpm run demo -- --once  # or cairn demo\nnpx cairn thread list\n```'
  expect(textsOf(markdown, 'script')).toEqual(['test', 'demo'])
  expect(textsOf(markdown, 'command')).toEqual(['thread list'])
})

test('a tree names one path a line', () => {
  expect(textsOf('```tree\napp/        pages\nserver/api/ routers\n```', 'path')).toEqual(['app/', 'server/api/'])
})

test('sources in other blocks are not read', () => {
  expect(readMentions('```ts\nimport x from `no/such/file.ts`\n```')).toEqual([])
})

test('a mention knows its line', () => {
  expect(readMentions('one\n\n`db/client.ts`')[0]?.line).toBe(3)
})

test('the packages that a list explains are the code spans at its beginning', () => {
  expect(readExplained('- `a`, `@b/c`: both, unlike `d`\n- `e`: one\nText with `f`.')).toEqual(['a', '@b/c', 'e'])
})
