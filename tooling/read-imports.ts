import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** One import of one file. `target` is a path from the repository root, or a package name. */
export type Import = { line: number; target: string; kind: 'file' | 'package'; typeOnly: boolean }

const STATEMENT = /(?:^|\n)[ \t]*(?:import|export)\s+(type\s)?(?:[^'"`;=()]*?\sfrom\s+)?'([^'\n]+)'/g
const DYNAMIC = /\b(?:import|require)\(\s*(?:\/\*.*?\*\/\s*)?'([^'\n]+)'\s*\)/g
const ENDINGS = ['', '.ts', '.tsx', '.mts', '.mjs', '.d.ts', '/index.ts', '/index.tsx']

/**
 * What a source file imports. Reads text, not syntax: the formatter fixes how an import is written, and an import-like
 * line inside a string (a test that holds the source of a bundle) names no file that exists, so it is left out.
 */
export function readImports(root: string, file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8')
  const imports: Import[] = []
  const add = (specifier: string, typeOnly: boolean, index: number) => {
    const line = text.slice(0, index).split('\n').length
    const found = resolveSpecifier(root, file, specifier)
    if (found) imports.push({ ...found, line, typeOnly })
  }
  for (const match of text.matchAll(STATEMENT)) {
    const [all, type, specifier] = match
    if (specifier !== undefined) add(specifier, type !== undefined, match.index + all.length)
  }
  for (const match of text.matchAll(DYNAMIC)) {
    // `typeof import('…')` and `import('…').Name` in a type vanish when compiled, but are rare enough to count as real.
    if (match[1] !== undefined) add(match[1], false, match.index)
  }
  return imports
}

function resolveSpecifier(root: string, file: string, specifier: string): Pick<Import, 'target' | 'kind'> | null {
  if (!specifier.startsWith('.') && !specifier.startsWith('@/')) {
    const parts = specifier.split('/')
    const target = specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? specifier)
    return { target, kind: 'package' }
  }
  const path = specifier.startsWith('@/') ? specifier.slice(2) : normalize(join(dirname(file), specifier))
  const ending = ENDINGS.find((end) => /\.\w+$/.test(path + end) && existsSync(join(root, path + end)))
  return ending === undefined ? null : { target: path + ending, kind: 'file' }
}
