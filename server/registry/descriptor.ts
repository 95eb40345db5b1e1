import { messageOf } from '@/server/kernel/errors'
import { END, NAME_PATTERN, START } from '@/server/kernel/ids'
import { type Finding, MAX_DESCRIPTOR_BYTES } from './findings'
import { COMMAND_PATTERN, type Descriptor, descriptorSchema } from './views'

const MAX_DEPTH = 64

export type DescriptorCheck =
  | { ok: true; descriptor: Descriptor; warnings: string[] }
  | { ok: false; findings: Finding[] }

/** Checks what a bundle exports as `descriptor`: its shape, its names, and that its graph is about its own roles. */
export function checkDescriptor(value: unknown): DescriptorCheck {
  const unfit = unfitJson(value)
  if (unfit) return failed([unfit])
  const parsed = descriptorSchema.safeParse(value)
  if (!parsed.success) {
    return failed(parsed.error.issues.map(({ path, message }) => `${['descriptor', ...path].join('.')}: ${message}.`))
  }
  const descriptor = parsed.data
  const problems = [...nameProblems(descriptor), ...edgeProblems(descriptor)]
  return problems.length > 0 ? failed(problems) : { ok: true, descriptor, warnings: graphWarnings(descriptor) }
}

/** What keeps a value from being stored as it is: not JSON, too large or too deep, text that Postgres cannot hold. */
function unfitJson(value: unknown): string | null {
  const stack: { value: unknown; path: string; depth: number }[] = [{ value, path: 'descriptor', depth: 0 }]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { value, path, depth } = next
    if (typeof value === 'string') {
      if (/\0|\p{Surrogate}/u.test(value)) return `${path}: the text holds a NUL character or half of a surrogate pair.`
    } else if (typeof value === 'object' && value !== null) {
      if (depth >= MAX_DEPTH) return `descriptor: nests deeper than ${MAX_DEPTH} levels.`
      for (const [key, item] of Object.entries(value)) {
        if (key === '__proto__') return `${path}: the key __proto__ is not allowed.`
        if (/\0|\p{Surrogate}/u.test(key)) return `${path}: a key holds a NUL character or half of a surrogate pair.`
        if (item !== undefined) stack.push({ value: item, path: `${path}.${key}`, depth: depth + 1 })
      }
    } else if (value !== null && typeof value !== 'boolean' && !(typeof value === 'number' && Number.isFinite(value))) {
      return `${path}: must be JSON, and is ${typeof value}.`
    }
  }
  try {
    const size = Buffer.byteLength(JSON.stringify(value) ?? '', 'utf8')
    if (size > MAX_DESCRIPTOR_BYTES) {
      return `descriptor: has ${size} bytes as JSON; at most ${MAX_DESCRIPTOR_BYTES} are allowed.`
    }
  } catch (error) {
    return `descriptor: cannot be written as JSON: ${messageOf(error)}.`
  }
  return null
}

function nameProblems({ roles, permissions, description }: Descriptor): string[] {
  const problems: string[] = []
  if (description.trim() === '') problems.push('descriptor.description: say in a sentence what the workflow does.')
  for (const role of Object.keys(roles)) {
    if (!NAME_PATTERN.test(role) || role.length > 64) {
      problems.push(
        `descriptor.roles: "${role.slice(0, 80)}" is no role name: use at most 64 characters, lower-case words joined by single hyphens.`,
      )
    }
  }
  for (const command of permissions?.exec ?? []) {
    if (!COMMAND_PATTERN.test(command)) {
      problems.push(
        `descriptor.permissions.exec: "${command.slice(0, 80)}" is no command name: give the bare name, like git.`,
      )
    }
  }
  return problems
}

function edgeProblems({ roles, graph }: Descriptor): string[] {
  return graph.edges.flatMap(({ from, to }, index) => {
    const at = `descriptor.graph.edges.${index}`
    const problems: string[] = []
    if (from !== START && !Object.hasOwn(roles, from))
      problems.push(`${at}.from: "${from}" is neither a role nor ${START}.`)
    if (to !== END && !Object.hasOwn(roles, to)) problems.push(`${at}.to: "${to}" is neither a role nor ${END}.`)
    return problems
  })
}

function graphWarnings({ roles, graph }: Descriptor): string[] {
  if (graph.edges.length === 0) return ['The graph has no edges: its picture will not show how the workflow goes.']
  const next = new Map<string, string[]>()
  for (const { from, to } of graph.edges) next.set(from, [...(next.get(from) ?? []), to])
  const reached = new Set<string>([START])
  for (const node of reached) for (const to of next.get(node) ?? []) reached.add(to)
  const warnings = Object.keys(roles)
    .filter((role) => !reached.has(role))
    .map((role) => `No edge leads from ${START} to the role "${role}".`)
  if (!reached.has(END)) warnings.push(`No edge leads to ${END}: only its bounds end such a thread.`)
  return warnings
}

function failed(messages: string[]): DescriptorCheck {
  return { ok: false, findings: messages.map((message) => ({ message })) }
}
