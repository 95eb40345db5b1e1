import { type Git, GitError } from './git'
import { createHistory, type History } from './history'
import { listFiles } from './list-files'
import type { TreeEntry } from './parse-tree'
import { readHistory } from './read-history'
import type { Survey } from './survey-data'

/** Files that the survey names, so that it stays small whatever the size of the repository. */
const MAX_CHANGED = 5_000
const MAX_LARGEST = 200
const MAX_OWNERS = 5
const MAX_AUTHORS = 2_000
const MAX_CHARACTERS = 2_000_000

/** Reads the repository: what is there at HEAD, and how it came to be, at most `maxCommits` commits back. */
export async function surveyRepository(
  git: Git,
  { maxCommits }: { maxCommits: number },
  onProgress: (text: string) => void,
): Promise<Survey> {
  const { name, shallow } = await identify(git)
  const head = await git.ask(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'])
  const branch = await git.ask(['symbolic-ref', '--quiet', '--short', 'HEAD'])
  if (head === null) return emptySurvey(name, branch, shallow)

  const total = Number(await git.read(['rev-list', '--count', head]))
  const { files, notes } = await listFiles(git, head)
  onProgress(`${files.length} files, ${total} commits`)
  const history = createHistory()
  const { read, skipped } = await readHistory(git, { commit: head, limit: maxCommits, total }, (commits, at) => {
    history.add(commits)
    onProgress(`read ${at} of ${Math.min(total, maxCommits)} commits`)
  })

  if (shallow)
    notes.push('This is a shallow clone: its history is cut off, so churn and ownership show only what is there.')
  if (total > maxCommits) notes.push(`Only the newest ${maxCommits} of ${total} commits were read.`)
  if (skipped > 0) {
    const change = skipped === 1 ? '1 commit changes' : `${skipped} commits change`
    notes.push(`${change} too many files to be read: left out of churn and ownership.`)
  }
  return shrink({ name, head, branch, shallow, commits: { total, read }, ...tally(files, history, notes), notes })
}

async function identify(git: Git): Promise<{ name: string; shallow: boolean }> {
  const answer = await git.read(['rev-parse', '--is-bare-repository', '--is-shallow-repository', '--absolute-git-dir'])
  const [bare, shallow, ...rest] = answer.trimEnd().split('\n')
  if ((await git.ask(['config', '--get-regexp', '^remote\\..*\\.promisor$'])) !== null) {
    throw new GitError(
      'This is a partial clone: git would have to fetch its history from the network. Make a full clone and report on that.',
    )
  }
  const folder = bare === 'true' ? rest.join('\n') : (await git.read(['rev-parse', '--show-toplevel'])).trimEnd()
  const last = folder
    .replace(/[/\\]+$/, '')
    .split(/[/\\]/)
    .at(-1)
  return { name: last?.replace(/\.git$/, '') || 'repository', shallow: shallow === 'true' }
}

function emptySurvey(name: string, branch: string | null, shallow: boolean): Survey {
  const files = { count: 0, bytes: 0, largest: [], extensions: [], folders: [] }
  const nothing = { range: null, authors: [], months: [], changed: [], notes: [] }
  return { name, head: '', branch, shallow, commits: { total: 0, read: 0 }, files, ...nothing }
}

function tally(
  files: TreeEntry[],
  history: History,
  notes: string[],
): Pick<Survey, 'files' | 'authors' | 'months' | 'range' | 'changed'> {
  const sizes = new Map(files.map(({ path, size }) => [path, size]))
  const changed = [...history.files]
    .filter(([path]) => sizes.has(path))
    .map(([path, { owners, ...counts }]) => ({
      path,
      size: sizes.get(path) ?? null,
      ...counts,
      owners: [...owners].sort((a, b) => b[1] - a[1]).slice(0, MAX_OWNERS),
    }))
    .sort((a, b) => b.commits - a.commits || b.added + b.deleted - (a.added + a.deleted) || compare(a.path, b.path))
  if (changed.length > MAX_CHANGED) {
    notes.push(`Churn and ownership cover the ${MAX_CHANGED} most changed of ${changed.length} files.`)
  }
  if (history.authors.length > MAX_AUTHORS) {
    notes.push(`The list of authors holds the ${MAX_AUTHORS} of the newest commits, of ${history.authors.length}.`)
  }
  const largest = files
    .flatMap(({ path, size, kind }) => (kind === 'file' && size !== null ? [{ path, size }] : []))
    .sort((a, b) => b.size - a.size || compare(a.path, b.path))
  return {
    files: {
      count: files.length,
      bytes: files.reduce((sum, { size }) => sum + (size ?? 0), 0),
      largest: largest.slice(0, MAX_LARGEST),
      extensions: groups(files, ({ path }) => extensionOf(path)),
      folders: groups(files, ({ path }) => folderOf(path)),
    },
    authors: history.authors.slice(0, MAX_AUTHORS),
    months: [...history.months]
      .map(([month, commits]) => ({ month, commits }))
      .sort((a, b) => compare(a.month, b.month)),
    range: history.authors.length > 0 ? history.range() : null,
    changed: changed
      .slice(0, MAX_CHANGED)
      .map((file) => ({ ...file, owners: file.owners.filter(([author]) => author < MAX_AUTHORS) })),
  }
}

/** Halves the list of changed files until the survey, with paths of any length, fits in one content node. */
function shrink(survey: Survey): Survey {
  if (JSON.stringify(survey).length <= MAX_CHARACTERS || survey.changed.length === 0) return survey
  const changed = survey.changed.slice(0, survey.changed.length >> 1)
  const note = `Churn and ownership cover ${changed.length} files, because their paths are very long.`
  const notes = [...survey.notes.filter((other) => !other.endsWith('very long.')), note]
  return shrink({ ...survey, changed, notes })
}

/** Largest group first, at most 50. */
function groups(
  files: TreeEntry[],
  keyOf: (file: TreeEntry) => string,
): { name: string; files: number; bytes: number }[] {
  const byName = new Map<string, { name: string; files: number; bytes: number }>()
  for (const file of files) {
    const name = keyOf(file)
    const group = byName.get(name) ?? { name, files: 0, bytes: 0 }
    byName.set(name, group)
    group.files++
    group.bytes += file.size ?? 0
  }
  return [...byName.values()].sort((a, b) => b.bytes - a.bytes || compare(a.name, b.name)).slice(0, 50)
}

export function folderOf(path: string): string {
  const slash = path.indexOf('/')
  return slash < 0 ? '.' : path.slice(0, slash)
}

function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return dot <= 0 || name.length - dot > 13 ? '(none)' : name.slice(dot).toLowerCase()
}

/** By UTF-16 units: the same order on every machine. */
function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
