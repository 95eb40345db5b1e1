import path from 'node:path'
import type { Comment } from 'acorn'
import { parseModule, walk } from './ast'

type Places = {
  /** Folder that esbuild's paths are relative to. */
  folder: string
  installation: string
  /** The paths that esbuild read, as it writes them. */
  inputs: string[]
}

/**
 * esbuild marks each module with its path relative to the working folder: in a comment, and for CommonJS in a key. Both
 * would make the bytes depend on where packages are installed, so they become `zod/v4/core/parse.js`, `cairn/sdk/index.ts`,
 * or the path relative to the entry file.
 */
export function neutralPaths(code: string, places: Places): string {
  const names = new Map(places.inputs.map((input) => [input, neutral(input, places)]))
  const edits: { start: number; end: number; text: string }[] = []
  const comments: Comment[] = []
  const program = parseModule(code, comments)
  for (const { type, value, start, end } of comments) {
    const name = names.get(value.trim())
    if (type === 'Line' && name !== undefined) edits.push({ start, end, text: `// ${name}` })
  }
  walk(program, (node, ancestors) => {
    if (node.type !== 'Property' || node.key.type !== 'Literal' || typeof node.key.value !== 'string') return
    const call = ancestors.at(-2)
    const isWrapper =
      call?.type === 'CallExpression' && call.callee.type === 'Identifier' && /^__(commonJS|esm)/.test(call.callee.name)
    const name = names.get(node.key.value)
    if (isWrapper && name !== undefined) {
      edits.push({ start: node.key.start, end: node.key.end, text: JSON.stringify(name) })
    }
  })
  let result = ''
  let at = 0
  for (const { start, end, text } of edits.sort((a, b) => a.start - b.start)) {
    result += code.slice(at, start) + text
    at = end
  }
  return result + code.slice(at)
}

function neutral(input: string, { folder, installation }: Places): string {
  const inPackage = input.lastIndexOf('node_modules/')
  if (inPackage >= 0) return input.slice(inPackage + 'node_modules/'.length)
  const file = path.resolve(folder, input)
  const sdk = path.join(installation, 'sdk') + path.sep
  return file.startsWith(sdk) ? `cairn/sdk/${file.slice(sdk.length)}` : input
}
