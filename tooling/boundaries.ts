import { PACKAGES, ZONES, type Zone } from './boundary-rules'
import { type Import, readImports } from './read-imports'

const TEST_FILE = /(\.test\.tsx?$)|(\/testing\/)/

/** A sentence for every import that the rules forbid, `file:line` first. */
export function findForbiddenImports(root: string, files: readonly string[]): string[] {
  return files.flatMap((file) => {
    const zone = ZONES.find((candidate) => matchPath(candidate.files, file) !== null)
    const imports = readImports(root, file)
    return imports.flatMap((one) => {
      const why = one.kind === 'package' ? refusePackage(file, one) : zone && refuseFile(zone, file, one)
      return why ? [`${file}:${one.line} imports ${one.target}. ${why}`] : []
    })
  })
}

function refusePackage(file: string, { target, typeOnly }: Import): string | undefined {
  const rule = PACKAGES.find(({ names }) => names.includes(target))
  if (!rule || matchesAny(rule.files, file)) return undefined
  return typeOnly && rule.types !== undefined && matchesAny([rule.types], file) ? undefined : rule.why
}

function refuseFile(zone: Zone, file: string, { target, typeOnly }: Import): string | undefined {
  // Two domains of db/queries match one zone with different values of {domain}: they are two zones.
  const own = matchPath(zone.files, file)
  if (
    own === matchPath(zone.files, target) &&
    ZONES.find((other) => matchPath(other.files, target) !== null) === zone
  ) {
    return undefined
  }
  const allowed = [
    ...zone.may,
    ...(typeOnly ? (zone.types ?? []) : []),
    ...(TEST_FILE.test(file) ? (zone.tests ?? []) : []),
  ]
  return matchesAny(allowed, target) ? undefined : zone.why
}

function matchesAny(patterns: readonly string[], path: string): boolean {
  return patterns.some((pattern) => matchPath(pattern, path) !== null)
}

const compiled = new Map<string, RegExp>()

/** Null when the path does not match; else what `{domain}` stood for, '' without it. */
function matchPath(pattern: string, path: string): string | null {
  let expression = compiled.get(pattern)
  if (!expression) {
    const source = pattern.replace(/\*\*\/|\*\*|\*|\{domain\}|\{([^}]*)\}|[.()[\]]/g, (part, choices?: string) => {
      if (part === '**/') return '(?:.*/)?'
      if (part === '**') return '.*'
      if (part === '*') return '[^/]*'
      if (part === '{domain}') return '([^/]+)'
      return choices === undefined ? `\\${part}` : `(?:${choices.split(',').join('|')})`
    })
    expression = new RegExp(`^${source}$`)
    compiled.set(pattern, expression)
  }
  const match = expression.exec(path)
  return match ? (match[1] ?? '') : null
}
