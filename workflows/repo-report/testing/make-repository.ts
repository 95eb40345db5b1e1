import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { execa } from 'execa'

export type NewCommit = {
  author?: { name: string; email: string }
  write?: Record<string, string | Buffer>
  /** Old path → new path. */
  rename?: Record<string, string>
  remove?: string[]
  submodules?: string[]
}

const ANN = { name: 'Ann Ö', email: 'ann@example.test' }
export const BOB = { name: 'Bob | *b*', email: 'bob@example.test' }
const FIRST_DAY = Date.UTC(2026, 0, 1) / 1000

/** git without the configuration of this machine. */
export function git(cwd: string, args: string[], input?: Buffer) {
  const env = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' }
  return execa('git', args, { cwd, env, ...(input ? { input } : {}) })
}

/** A real repository whose branch `main` has these commits, one a day from 2026-01-01; nothing is checked out. */
export async function makeRepository(folder: string, commits: NewCommit[]): Promise<string> {
  await mkdir(folder, { recursive: true })
  await git(folder, ['init', '-q', '-b', 'main'])
  if (commits.length > 0) {
    const stream = Buffer.concat(commits.flatMap(commitLines))
    await git(folder, ['fast-import', '--quiet'], stream)
  }
  return path.resolve(folder)
}

function commitLines(commit: NewCommit, index: number): Buffer[] {
  const { author = ANN, write = {}, rename = {}, remove = [], submodules = [] } = commit
  const when = `${FIRST_DAY + index * 24 * 3600} +0000`
  return [
    text('commit refs/heads/main\n'),
    text(`author ${author.name} <${author.email}> ${when}\ncommitter c <c@example.test> ${when}\ndata 1\nm\n`),
    ...(index > 0 ? [] : [text('deleteall\n')]),
    ...Object.entries(rename).map(([from, to]) => text(`R ${quoted(from)} ${quoted(to)}\n`)),
    ...remove.map((file) => text(`D ${quoted(file)}\n`)),
    ...submodules.map((file) => text(`M 160000 ${'12345678'.repeat(5)} ${quoted(file)}\n`)),
    ...Object.entries(write).flatMap(([file, content]) => [
      text(`M 100644 inline ${quoted(file)}\ndata ${Buffer.byteLength(content)}\n`),
      Buffer.from(content),
      text('\n'),
    ]),
    text('\n'),
  ]
}

function text(value: string): Buffer {
  return Buffer.from(value, 'utf8')
}

/** A path in the quoting of fast-import. */
function quoted(file: string): string {
  return `"${file.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`
}
