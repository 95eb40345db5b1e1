import type { Program } from 'acorn'
import { nameSchema } from '@/server/kernel/ids'
import { parseModule, placeOf } from './ast'
import { checkCode } from './check-code'
import { checkExports } from './check-exports'
import { type Finding, MAX_BUNDLE_BYTES, MAX_FINDINGS } from './findings'

export type BundleFile = {
  /** Name of the workflow, where it is known. */
  name?: string
  fileName: string
  /** Bytes must be UTF-8. */
  source: string | Uint8Array
}
export type Validation = { ok: boolean; findings: Finding[]; warnings: string[] }

/**
 * Checks a bundle without running it: name, file name, size, encoding, and by a real parser its imports and exports.
 * Never throws; all findings at once (at most `MAX_FINDINGS`), in the order of the file. It keeps honest mistakes out and runs describable; what
 * contains hostile code is the worker's sandbox.
 */
export function validateBundle({ name, fileName, source }: BundleFile): Validation {
  const findings: Finding[] = []
  if (name !== undefined) {
    const parsed = nameSchema.safeParse(name)
    if (!parsed.success) {
      findings.push({
        message: `The workflow name ${quote(name)} ${parsed.error.issues[0]?.message ?? 'is not valid'}.`,
      })
    }
  }
  if (!/^[^/\\\0]+\.esm\.js$/.test(fileName)) {
    findings.push({
      message: `The file name ${quote(fileName)} must end in .esm.js: build the workflow with \`cairn build\`, or rename the file.`,
    })
  }
  const decoded = decode(source)
  if (typeof decoded !== 'string') return { ok: false, findings: [...findings, decoded], warnings: [] }

  const program = parse(decoded)
  if ('message' in program) return { ok: false, findings: [...findings, program], warnings: [] }
  const code = checkCode(program, decoded)
  const inFile = [...code.problems, ...checkExports(program)].sort((a, b) => a.offset - b.offset)
  findings.push(
    ...inFile.slice(0, MAX_FINDINGS).map(({ offset, message }) => ({ ...placeOf(decoded, offset), message })),
  )
  return { ok: findings.length === 0, findings, warnings: code.warnings }
}

/** The text of the bundle, or why it is none. */
function decode(source: string | Uint8Array): string | Finding {
  const size = typeof source === 'string' ? Buffer.byteLength(source, 'utf8') : source.byteLength
  if (size > MAX_BUNDLE_BYTES) {
    return {
      message: `The bundle has ${size} bytes; at most ${MAX_BUNDLE_BYTES} (10 MiB) are allowed. Leave out what it does not use.`,
    }
  }
  const text = typeof source === 'string' ? source : decodeUtf8(source)
  // A string that holds a lone surrogate has no UTF-8 form.
  if (text === null || /\p{Surrogate}/u.test(text)) {
    return { message: 'The bundle is not valid UTF-8: save the file as UTF-8.' }
  }
  const nul = text.indexOf('\0')
  if (nul >= 0) {
    return { ...placeOf(text, nul), message: 'The bundle holds a NUL character: write it as the escape \\u0000.' }
  }
  return text
}

function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    // `fatal` makes every ill-formed sequence throw; the caller reports it.
    return null
  }
}

function parse(source: string): Program | Finding {
  try {
    return parseModule(source)
  } catch (error) {
    if (error instanceof SyntaxError) {
      const what = error.message.replace(/ \(\d+:\d+\)$/, '')
      const message = /stack space/.test(what)
        ? 'The code nests too deeply to be checked: simplify it.'
        : `Syntax error: ${what}.`
      return 'pos' in error && typeof error.pos === 'number' ? { ...placeOf(source, error.pos), message } : { message }
    }
    throw error
  }
}

function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
}
