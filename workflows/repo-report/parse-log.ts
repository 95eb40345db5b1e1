type Change = {
  path: string
  /** Where a rename came from, else null. */
  from: string | null
  /** Null for a binary file. */
  added: number | null
  deleted: number | null
}

export type Commit = {
  hash: string
  /** Author time, milliseconds since the epoch. */
  time: number
  author: string
  email: string
  changes: Change[]
}

/** A commit begins with one control character and its fields are separated by another: file names come in other parts. */
export const LOG_FORMAT = '%x01%H%x1f%at%x1f%aN%x1f%aE'
const HASH = /^[0-9a-f]{40,64}$/
const NUMSTAT = /^\n?(-|\d+)\t(-|\d+)\t([\s\S]*)$/

/**
 * Reads `git log -z --numstat --format=LOG_FORMAT`: parts that end in NUL, so that any file name is read as it is. A rename
 * has an empty name and two parts after it.
 */
export function parseLog(output: string): Commit[] {
  const commits: Commit[] = []
  const parts = output.split('\0')
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] ?? ''
    const header = parseHeader(part)
    if (header) {
      commits.push(header)
      continue
    }
    const [, added = '', deleted = '', name = ''] = NUMSTAT.exec(part) ?? []
    const commit = commits.at(-1)
    if (added === '' || !commit) continue
    const counts = { added: countOf(added), deleted: countOf(deleted) }
    if (name !== '') commit.changes.push({ path: name, from: null, ...counts })
    else commit.changes.push({ from: parts[++at] ?? '', path: parts[++at] ?? '', ...counts })
  }
  return commits
}

function parseHeader(part: string): Commit | null {
  const text = part.startsWith('\n') ? part.slice(1) : part
  if (!text.startsWith('\x01')) return null
  const [hash = '', seconds = '', ...identity] = text.slice(1).split('\x1f')
  const email = identity.pop() ?? ''
  if (!HASH.test(hash)) return null
  return { hash, time: Number(seconds) * 1000, author: identity.join(' ') || email || '(nobody)', email, changes: [] }
}

function countOf(text: string): number | null {
  return text === '-' ? null : Number(text)
}
