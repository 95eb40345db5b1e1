import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { execa } from 'execa'
import { afterAll, describe, expect, it } from 'vitest'
import type { ExecOptions } from '@/sdk/index'
import { runToEnd, scriptedRuntime } from '@/sdk/testing'
import { descriptor, run } from './index'
import { BOB, git, makeRepository, type NewCommit } from './testing/make-repository'

const root = await mkdtemp(path.join(tmpdir(), 'cairn-report-'))
afterAll(() => rm(root, { recursive: true }))

const make = (name: string, commits: NewCommit[]) => makeRepository(path.join(root, name), commits)

/** Real git, with the platform's cap on output. */
function realGit(limit = 10 * 1024 * 1024) {
  return scriptedRuntime({
    exec: async (command, args, { cwd }: ExecOptions) => {
      const { exitCode, stdout, stderr } = await execa(command, args, {
        ...(cwd === undefined ? {} : { cwd }),
        reject: false,
        stripFinalNewline: false,
        env: { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
      })
      if (stdout.length > limit) throw Object.assign(new Error('too much output'), { name: 'LIMIT_EXCEEDED' })
      return { exitCode: exitCode ?? 1, stdout, stderr, durationMs: 0 }
    },
  })
}

async function report(folder: string, { limit, ...input }: { limit?: number; maxCommits?: number } = {}) {
  const runtime = realGit(limit)
  const finished = await runToEnd(run, { input: { path: folder, ...input }, runtime })
  return { ...finished, runtime, text: finished.texts.at(-1) ?? '' }
}

function section(text: string, heading: string): string {
  return text.split(/^(?=##+ )/m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
}

/** Rows of the first table of a section. */
function rowsOf(text: string, heading: string): string[] {
  return section(text, heading)
    .split('\n')
    .filter((line) => line.startsWith('| `'))
}

/** `count` commits that each change the one file. */
const edits = (count: number) => Array.from({ length: count }, (_, i) => ({ write: { 'a.txt': `${i}\n` } }))

const PROJECT: NewCommit[] = [
  { write: { 'src/old.ts': 'a\n'.repeat(50), 'README.md': '# hi\n' } },
  { write: { 'src/old.ts': 'a\n'.repeat(60) } },
  { rename: { 'src/old.ts': 'src/new.ts' } },
  { author: BOB, write: { 'src/new.ts': 'a\n'.repeat(61) } },
  { author: BOB, write: { 'src/old.ts': 'another\n', 'logo.png': Buffer.from([0, 1, 2, 255]) } },
  { author: BOB, write: { 'package-lock.json': '{}\n'.repeat(9_000) } },
  { write: { 'gone.ts': 'x\n' } },
  { remove: ['gone.ts'] },
]
const project = await make('project', PROJECT)

describe('a report', () => {
  it('on an empty repository says so, by the short way through the graph', async () => {
    const { steps, text, completion } = await report(await make('empty', []))
    expect(steps.map(({ role }) => role)).toEqual(['survey', 'report'])
    expect(text).toBe('# empty\n\nThis repository has no commit on `main` yet, so there is nothing to report.\n')
    expect(completion).toEqual({ returnCode: 0, summary: 'Reported on empty: 0 commits, 0 files.' })
  })

  it('ranks files by how often they change, follows renames, and names owners', async () => {
    const { steps, text, completion, runtime } = await report(project)
    expect(steps.map(({ role }) => role)).toEqual(['survey', 'hotspots', 'report'])
    expect(completion.summary).toBe('Reported on project: 8 commits, 5 files.')
    expect(steps[1]?.meta).toMatchObject({ busFactor: 2, mostChanged: 'src/new.ts' })
    const [first, ...others] = rowsOf(text, '## Hotspots')
    expect(first).toBe('| `src/new.ts` | 4 | +61 −0 | 122 B | 2026-01-04 | Ann Ö (98 %) |')
    expect(others.map((line) => line.split('`')[1])).toEqual(expect.arrayContaining(['src/old.ts', 'logo.png']))
    expect(text).not.toContain('gone.ts')
    expect(section(text, '## Hotspots')).not.toContain('package-lock.json')
    expect(section(text, '## Largest files')).toContain('package-lock.json')
    expect(section(text, '## What this leaves out')).toContain('1 generated or vendored file')
    expect(section(text, '## Ownership')).toContain('| Bob \\| \\*b\\* | 3 |')
    // The data of each step stays reachable from it.
    for (const step of steps.slice(0, 2)) expect(runtime.contents.has(step.refs[0] ?? '')).toBe(true)
  })

  it('has one author, one file and a bus factor of one after one commit', async () => {
    const { steps, text } = await report(await make('one', edits(1)))
    expect(steps[1]?.meta).toMatchObject({ busFactor: 1, mostChanged: 'a.txt' })
    expect(text).toContain('More than half of the files have the same main author.')
    expect(section(text, '## Activity')).toContain('██████████')
  })

  it('works where commits have no files, and where the head is detached', async () => {
    const folder = await make('bare-commits', [{}])
    await git(folder, ['checkout', '-q', '--detach', 'main'])
    const { steps, text } = await report(folder)
    expect(steps.map(({ role }) => role)).toEqual(['survey', 'hotspots', 'report'])
    expect(text).toContain('(detached)')
    expect(text).toContain('No file has a main author.')
  })

  it('shows any file name as it is, without breaking its tables', async () => {
    const names = ['a "quoted" name', "it's", 'tab\there', 'line\nbreak', 'pipe|name', 'back`tick', ' leading']
    names.push('ünï-日本', '-dash', 'a => b', '{a => b}', '\u202egnp.exe', '*glob*', '\u0001start', 'back\\slash')
    const write = Object.fromEntries(names.map((name, i) => [`dir/${name}`, 'x\n'.repeat(i + 1)]))
    const folder = await make('names', [{ write }, { rename: { 'dir/tab\there': 'dir/tab\tmoved\n' } }])
    const { steps, text } = await report(folder)
    expect(steps[0]?.meta).toMatchObject({ files: names.length })
    const rows = rowsOf(text, '## Largest files')
    expect(rows).toHaveLength(names.length)
    for (const row of rows) expect(row.split(/(?<!\\)\|/)).toHaveLength(5)
    const all = rows.join('\n')
    expect(all).toContain('`dir/a "quoted" name`')
    expect(all).toContain('`dir/line\\nbreak`')
    expect(all).toContain('`dir/pipe\\|name`')
    expect(all).toContain('`` dir/back`tick ``')
    expect(all).toContain('`dir/ünï-日本`')
    expect(all).toContain('`dir/{a => b}`')
    expect(all).toContain('`dir/\\u{202e}gnp.exe`')
    expect(all).toContain('`dir/\\u{1}start`')
    expect(section(text, '## Hotspots')).toContain('| `dir/tab\\tmoved\\n` | 2 |')
  })

  it('counts submodules as files without reading them', async () => {
    const { steps } = await report(await make('links', [...edits(1), { submodules: ['sub'] }]))
    expect(steps[0]?.meta).toMatchObject({ files: 2 })
  })

  it('reads a bounded part of the history, and says so', async () => {
    const { text, runtime } = await report(await make('long', edits(8)), { maxCommits: 3 })
    expect(section(text, '## Hotspots')).toContain('`a.txt` | 3 |')
    expect(section(text, '## What this leaves out')).toContain('Only the newest 3 of 8 commits were read.')
    expect(text).toContain('8, 3 read')
    expect(runtime.logs.at(-1)?.text).toBe('read 3 of 3 commits')
  })

  it('asks in smaller pieces when git prints more than the platform keeps, with the same result', async () => {
    const files = (folder: string) =>
      Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`${folder}/file-${i}`, `${folder}\n`]))
    const folder = await make(
      'wide',
      ['d0', 'd1', 'd2', 'd3'].map((name) => ({ write: files(name) })),
    )
    const whole = await report(folder)
    const pieces = await report(folder, { limit: 2_000 })
    expect(pieces.text).toBe(whole.text)
    expect(pieces.runtime.commands.length).toBeGreaterThan(whole.runtime.commands.length + 3)
  })

  it('leaves out a single commit that is too large, and says so', async () => {
    const write = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`d${i % 9}/file-${i}`, 'x\n']))
    const { text, steps } = await report(await make('huge-commit', [{ write }, ...edits(1)]), { limit: 1_500 })
    expect(steps[0]?.meta).toMatchObject({ files: 101, commits: 2 })
    expect(section(text, '## What this leaves out')).toContain('1 commit changes too many files')
  })

  it('says of a shallow clone that its history is cut off', async () => {
    const folder = await make('deep', edits(4))
    await git(root, ['clone', '-q', '--depth', '2', `file://${folder}`, 'shallow'])
    const { text, steps } = await report(path.join(root, 'shallow'))
    expect(steps[0]?.meta).toMatchObject({ repository: 'shallow', commits: 2 })
    expect(text).toContain('shallow clone')
  })

  it('covers the whole repository from a folder inside it, and a bare one', async () => {
    const whole = await report(project)
    await mkdir(path.join(project, 'sub'))
    expect((await report(path.join(project, 'sub'))).text).toBe(whole.text)
    await git(root, ['clone', '-q', '--bare', project, 'bare.git'])
    expect((await report(path.join(root, 'bare.git'))).text).toBe(whole.text.replace('# project', '# bare'))
  })

  it('goes on after a crash from the steps that it has, to the same bytes', async () => {
    const runtime = realGit()
    const options = { input: { path: project }, runtime }
    const whole = await runToEnd(run, options)
    const before = runtime.commands.length
    const half = await runToEnd(run, { ...options, maxSteps: 1 })
    expect(await runToEnd(run, { ...options, steps: half.steps })).toEqual(whole)
    // The survey ran twice in all, and not again after the crash.
    expect(runtime.commands.length).toBe(before * 2)
  })
})

describe('no report, but a clear error', () => {
  it('where there is no repository', async () => {
    const folder = path.join(root, 'nothing')
    await mkdir(folder)
    await expect(report(folder)).rejects.toThrow(/git rev-parse failed with code 128: fatal: not a git repository/)
  })

  it('of a partial clone, which would read from the network', async () => {
    await git(root, ['clone', '-q', '--no-checkout', '--filter=blob:none', `file://${project}`, 'partial'])
    await expect(report(path.join(root, 'partial'))).rejects.toThrow(/partial clone/)
  })

  it('when git is not granted', async () => {
    await expect(runToEnd(run, { input: { path: root } })).rejects.toMatchObject({ name: 'NOT_GRANTED' })
  })
})

describe('the descriptor', () => {
  it('asks for git only, and its edges are those that the tests above take', () => {
    expect(descriptor.permissions).toEqual({ exec: ['git'] })
    expect(descriptor.graph.edges.map(({ from, to }) => `${from} ${to}`)).toEqual([
      '__start__ survey',
      'survey report',
      'survey hotspots',
      'hotspots report',
      'report __end__',
    ])
  })
})
