import { AppError, isAppError } from '@/server/kernel/errors'
import { readDescriptor } from '@/server/sandbox/read-descriptor'
import { checkDescriptor } from './descriptor'
import { type Finding, MAX_TYPES_BYTES } from './findings'
import { validateBundle } from './validate'
import type { Descriptor } from './views'

export type BundleUpload = { name: string; fileName: string; source: string; types?: string | undefined }

export type BundleReport =
  | { ok: true; findings: []; warnings: string[]; descriptor: Descriptor }
  | { ok: false; findings: Finding[]; warnings: string[] }

/**
 * Everything that registration asks of a bundle, without storing it: the code is read by a parser, then loaded once in a
 * sandboxed process for its descriptor. Findings are answers, not errors; throws only when the check itself fails.
 */
export async function checkBundle({ name, fileName, source, types }: BundleUpload): Promise<BundleReport> {
  const { findings, warnings } = validateBundle({ name, fileName, source })
  const all = [...findings, ...typesProblems(types)]
  if (all.length > 0) return { ok: false, findings: all, warnings }
  try {
    const checked = checkDescriptor(await readDescriptor(source))
    if (!checked.ok) return { ok: false, findings: checked.findings, warnings }
    return { ok: true, findings: [], warnings: [...warnings, ...checked.warnings], descriptor: checked.descriptor }
  } catch (error) {
    // That the bundle does not load is an answer too.
    if (isAppError(error, 'BUNDLE_REJECTED')) return { ok: false, findings: error.data.findings, warnings }
    throw error
  }
}

export function rejectedBundle(name: string, findings: Finding[]): AppError<'BUNDLE_REJECTED'> {
  const list = findings.map(({ line, column, message }) =>
    line === undefined ? message : `${line}:${column ?? 1}: ${message}`,
  )
  return new AppError('BUNDLE_REJECTED', `The bundle for ${name} was rejected.\n${list.join('\n')}`, { findings })
}

function typesProblems(types: string | undefined): Finding[] {
  if (types === undefined) return []
  const size = Buffer.byteLength(types, 'utf8')
  if (size > MAX_TYPES_BYTES) {
    return [{ message: `The .d.ts file has ${size} bytes; at most ${MAX_TYPES_BYTES} (1 MiB) are allowed.` }]
  }
  if (/\0|\p{Surrogate}/u.test(types)) return [{ message: 'The .d.ts file is not plain UTF-8 text: save it as UTF-8.' }]
  return []
}
