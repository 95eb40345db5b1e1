import type { Commit } from './parse-log'

type AuthorTally = { name: string; commits: number; added: number; deleted: number; last: number }
type FileTally = {
  commits: number
  added: number
  deleted: number
  /** Time of its newest change. */
  last: number
  /** Index of an author → lines that author added; a change of a binary file counts as one. */
  owners: Map<number, number>
}

export type History = {
  add(commits: Commit[]): void
  authors: AuthorTally[]
  /** By the name that the file has now. */
  files: Map<string, FileTally>
  /** `2026-01` → commits. */
  months: Map<string, number>
  range(): { oldest: number; newest: number }
}

/** Adds commits up, newest first: a rename makes older changes count for the file under its newer name. */
export function createHistory(): History {
  const authors: AuthorTally[] = []
  const authorAt = new Map<string, number>()
  const files = new Map<string, FileTally>()
  const months = new Map<string, number>()
  const newerName = new Map<string, string>()
  let oldest = Number.POSITIVE_INFINITY
  let newest = Number.NEGATIVE_INFINITY

  function authorOf({ author, email }: Commit): number {
    const key = (email || author).toLowerCase()
    const known = authorAt.get(key)
    if (known !== undefined) return known
    authors.push({ name: author, commits: 0, added: 0, deleted: 0, last: Number.NEGATIVE_INFINITY })
    authorAt.set(key, authors.length - 1)
    return authors.length - 1
  }

  function addCommit(commit: Commit): void {
    const index = authorOf(commit)
    const author = authors[index]
    if (!author) return
    author.commits++
    author.last = Math.max(author.last, commit.time)
    oldest = Math.min(oldest, commit.time)
    newest = Math.max(newest, commit.time)
    const month = monthOf(commit.time)
    months.set(month, (months.get(month) ?? 0) + 1)
    const renames: [string, string][] = []
    for (const { path, from, added, deleted } of commit.changes) {
      const name = newerName.get(path) ?? path
      if (from !== null) renames.push([from, name])
      const file = files.get(name) ?? emptyFile()
      files.set(name, file)
      file.commits++
      file.added += added ?? 0
      file.deleted += deleted ?? 0
      file.last = Math.max(file.last, commit.time)
      file.owners.set(index, (file.owners.get(index) ?? 0) + (added ?? 1))
      author.added += added ?? 0
      author.deleted += deleted ?? 0
    }
    // Only commits older than this one know the file by its old name.
    for (const [from, name] of renames) newerName.set(from, name)
  }

  return {
    add: (commits) => {
      for (const commit of commits) addCommit(commit)
    },
    authors,
    files,
    months,
    range: () => ({ oldest, newest }),
  }
}

function emptyFile(): FileTally {
  return { commits: 0, added: 0, deleted: 0, last: Number.NEGATIVE_INFINITY, owners: new Map() }
}

function monthOf(time: number): string {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? 'unknown' : date.toISOString().slice(0, 7)
}
