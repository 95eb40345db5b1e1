import { askedTooMuch, type Git } from './git'
import { parseTree, type TreeEntry } from './parse-tree'

const MAX_CALLS = 200
const MAX_FILES = 500_000

/**
 * Every file of a commit. A repository whose list is too long for one command is listed folder by folder; what is left out
 * in the end is said in `notes`.
 */
export async function listFiles(git: Git, commit: string): Promise<{ files: TreeEntry[]; notes: string[] }> {
  const files: TreeEntry[] = []
  const folders: (string | null)[] = [null]
  const skipped: string[] = []
  for (let calls = 0; folders.length > 0; calls++) {
    const folder = folders.pop() ?? null
    if (calls >= MAX_CALLS || files.length >= MAX_FILES) {
      skipped.push(folder ?? '.')
      continue
    }
    try {
      files.push(...(await list(git, commit, folder, true)))
    } catch (error) {
      if (!askedTooMuch(error)) throw error
      for (const entry of await list(git, commit, folder, false)) {
        if (entry.kind === 'folder') folders.push(entry.path)
        else files.push(entry)
      }
    }
  }
  const notes =
    skipped.length === 0 ? [] : [`The repository is too large to list: ${skipped.length} folders are left out.`]
  return { files, notes }
}

async function list(git: Git, commit: string, folder: string | null, recursive: boolean): Promise<TreeEntry[]> {
  const where = folder === null ? [] : ['--', `${folder}/`]
  const output = await git.read(['ls-tree', ...(recursive ? ['-r'] : []), '-l', '-z', '--full-tree', commit, ...where])
  return parseTree(output)
}
