import { askedTooMuch, type Git } from './git'
import { type Commit, LOG_FORMAT, parseLog } from './parse-log'

const LARGEST_PAGE = 500

/**
 * Commits from the newest back, page by page, at most `limit`. A page that prints or takes too much is asked for again in
 * smaller pages; a single commit that does is skipped. Returns how many were read and how many skipped.
 */
export async function readHistory(
  git: Git,
  { commit, limit, total }: { commit: string; limit: number; total: number },
  onPage: (commits: Commit[], read: number) => void,
): Promise<{ read: number; skipped: number }> {
  let page = LARGEST_PAGE
  let position = 0
  let skipped = 0
  const end = Math.min(limit, total)
  while (position < end) {
    const size = Math.min(page, end - position)
    try {
      const commits = parseLog(await git.read(logArgs(commit, position, size)))
      position += size
      page = Math.min(page * 2, LARGEST_PAGE)
      onPage(commits, position)
    } catch (error) {
      if (!askedTooMuch(error)) throw error
      if (size === 1) {
        position++
        skipped++
      } else page = Math.max(1, Math.floor(size / 8))
    }
  }
  return { read: end - skipped, skipped }
}

function logArgs(commit: string, skip: number, count: number): string[] {
  const plain = ['--no-ext-diff', '--no-textconv', '--no-color', '--no-notes']
  return ['log', '-z', '-M', '--numstat', `--format=${LOG_FORMAT}`, ...plain, `--skip=${skip}`, `-n${count}`, commit]
}
