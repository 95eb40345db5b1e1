import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { type BuildFailure, build, type Message } from 'esbuild'
import { hashBytes, initHash } from '@/server/cas/hash'
import { AppError, messageOf } from '@/server/kernel/errors'
import type { Hash } from '@/server/kernel/ids'
import { neutralPaths } from './neutral-paths'
import { validateBundle } from './validate'

/** Folder of this installation: where `cairn/sdk` and its zod come from when the author's folder has no own copy. */
const INSTALLATION = path.resolve(import.meta.dirname, '../..')

export type BuiltBundle = { code: string; hash: Hash; warnings: string[] }

/**
 * Builds a workflow's entry file to one ESM file that needs only Node: the SDK and every package are inlined. The bytes
 * depend on the sources alone, not on the folder or the machine. Throws BUNDLE_REJECTED with every problem that esbuild
 * and the validator found; lines of esbuild are those of the source, lines of the validator those of the built file.
 *
 * It lives here and not in the SDK because it shares the hash and the validator with registration, and because what an
 * author imports must not pull in a compiler.
 */
export async function buildBundle(entryFile: string): Promise<BuiltBundle> {
  const entry = await realpath(entryFile).catch((cause: unknown) => {
    throw new AppError(
      'NOT_FOUND',
      `There is no file ${entryFile}: give the path of the workflow's entry file.`,
      {
        what: 'file',
        id: entryFile,
      },
      { cause },
    )
  })
  const folder = path.dirname(entry)
  const result = await build({
    absWorkingDir: folder,
    entryPoints: [path.basename(entry)],
    outfile: 'bundle.esm.js',
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    charset: 'utf8',
    legalComments: 'none',
    sourcemap: false,
    treeShaking: true,
    logLevel: 'silent',
    alias: { 'cairn/sdk': path.join(INSTALLATION, 'sdk/index.ts') },
    nodePaths: [path.join(INSTALLATION, 'node_modules')],
  }).catch((cause: unknown) => {
    throw rejected(entryFile, cause)
  })
  const [file] = result.outputFiles
  const [meta] = Object.values(result.metafile.outputs)
  if (!file || !meta) throw new AppError('INTERNAL', `esbuild made no output of ${entryFile}.`, {})

  const extra = meta.exports.filter((name) => !['run', 'descriptor', 'default'].includes(name))
  if (extra.length > 0) {
    const message = `Exports ${extra.join(', ')} besides run and descriptor: a workflow's entry file exports those two only.`
    throw new AppError('BUNDLE_REJECTED', `${entryFile} was not built. ${message}`, { findings: [{ message }] })
  }
  const code = neutralPaths(file.text, {
    folder,
    installation: INSTALLATION,
    inputs: Object.keys(result.metafile.inputs),
  })
  const checked = validateBundle({ fileName: 'bundle.esm.js', source: code })
  if (!checked.ok) {
    const list = checked.findings.map(
      ({ line, column, message }) => `built file:${line ?? 0}:${column ?? 0}: ${message}`,
    )
    throw new AppError('BUNDLE_REJECTED', `${entryFile} was not built.\n${list.join('\n')}`, {
      findings: checked.findings,
    })
  }
  await initHash()
  return { code, hash: hashBytes(code), warnings: [...result.warnings.map(located), ...checked.warnings] }
}

function rejected(entryFile: string, cause: unknown): AppError {
  const errors = isBuildFailure(cause) ? cause.errors : []
  if (errors.length === 0) {
    return new AppError('INTERNAL', `${entryFile} could not be built: ${messageOf(cause)}`, {}, { cause })
  }
  const findings = errors.map((error) => ({
    ...(error.location ? { line: error.location.line, column: error.location.column + 1 } : {}),
    message: located(error),
  }))
  return new AppError(
    'BUNDLE_REJECTED',
    `${entryFile} was not built.\n${findings.map(({ message }) => message).join('\n')}`,
    { findings },
    { cause },
  )
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && 'errors' in error && Array.isArray(error.errors)
}

/** `file:line:column: text`, columns from 1. */
function located({ text, location }: Message): string {
  return location ? `${location.file}:${location.line}:${location.column + 1}: ${text}` : text
}
