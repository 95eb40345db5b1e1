import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Paths of all files that are, or would be, under version control; of a folder without git, none. */
export function listFiles(root: string, ...patterns: string[]): string[] {
  const args = ['-C', root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...patterns]
  const output = execFileSync('git', args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  return [...new Set(output.split('\0'))].filter((path) => path !== '' && existsSync(join(root, path))).sort()
}
