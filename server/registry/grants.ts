import path from 'node:path'
import { AppError } from '@/server/kernel/errors'
import type { Descriptor, Grants } from './views'

/** One entry a command, sorted, its folders absolute and without trailing slash: equal grants have equal text. */
export function normaliseGrants(grants: Grants): Grants {
  const folders = new Map<string, Set<string> | 'any'>()
  for (const entry of grants.exec) {
    const known = folders.get(entry.command)
    if (known === 'any' || entry.folders.length === 0) {
      folders.set(entry.command, 'any')
      continue
    }
    folders.set(entry.command, new Set([...(known ?? []), ...entry.folders.map(normaliseFolder)]))
  }
  const exec = [...folders].map(([command, of]) => ({ command, folders: of === 'any' ? [] : [...of].sort() }))
  return { exec: exec.sort((a, b) => (a.command < b.command ? -1 : 1)) }
}

/** What the descriptor asks for and the grants do not give, like `exec:git`. */
export function missingGrants(descriptor: Descriptor, grants: Grants): string[] {
  const granted = new Set(grants.exec.map(({ command }) => command))
  return (descriptor.permissions?.exec ?? [])
    .filter((command) => !granted.has(command))
    .map((command) => `exec:${command}`)
}

function normaliseFolder(folder: string): string {
  if (!path.isAbsolute(folder) || folder.includes('\0')) {
    throw new AppError('BAD_INPUT', `The folder ${JSON.stringify(folder)} of a grant must be an absolute path.`, {
      field: 'grants.exec.folders',
    })
  }
  return path.resolve(folder)
}
