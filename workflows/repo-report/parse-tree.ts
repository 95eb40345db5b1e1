export type TreeEntry = {
  path: string
  kind: 'file' | 'link' | 'submodule' | 'folder'
  /** Bytes; null for what has none: a submodule, a folder. */
  size: number | null
}

const ENTRY = /^(\d{6}) (\w+) [0-9a-f]+ +(-|\d+)\t([\s\S]+)$/

/** Reads `git ls-tree -l -z`. */
export function parseTree(output: string): TreeEntry[] {
  return output.split('\0').flatMap((line) => {
    const [, mode = '', type = '', size = '', path = ''] = ENTRY.exec(line) ?? []
    return path === '' ? [] : [{ path, kind: kindOf(mode, type), size: size === '-' ? null : Number(size) }]
  })
}

function kindOf(mode: string, type: string): TreeEntry['kind'] {
  if (type === 'tree') return 'folder'
  if (type === 'commit') return 'submodule'
  return mode === '120000' ? 'link' : 'file'
}
