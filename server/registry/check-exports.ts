import type { AnyNode, Identifier, Literal, Program } from 'acorn'
import { type Binding, declare, declaredNames } from './bindings'
import type { Problem } from './findings'

type Exported = { node: AnyNode; binding: Binding }

const RUN_HINT =
  'export a function, an async generator, or what createWorkflow returns, like `export const run = createWorkflow(…)`'

/** `run` and `descriptor` must be exported by name, `run` must be able to be a workflow, and nothing is the default export. */
export function checkExports(program: Program): Problem[] {
  const problems: Problem[] = []
  const reject = (node: AnyNode, message: string) => {
    problems.push({ offset: node.start, message })
  }
  const names = declaredNames(program)
  const exported = collectExports(program, names)

  const byDefault = exported.get('default')
  if (byDefault) reject(byDefault.node, 'A bundle has no default export: export run and descriptor by name.')
  const run = exported.get('run')
  if (!run) reject(program, `The bundle does not export run: ${RUN_HINT}.`)
  else {
    const problem = runProblem(run.binding, names)
    if (problem) reject(run.node, problem)
  }
  if (!exported.has('descriptor')) {
    reject(
      program,
      'The bundle does not export descriptor: export an object { description, roles, graph }, like `export const descriptor = buildDescriptor(…)`.',
    )
  }
  return problems
}

function collectExports(program: Program, names: Map<string, Binding>): Map<string, Exported> {
  const exported = new Map<string, Exported>()
  for (const statement of program.body) {
    if (statement.type === 'ExportDefaultDeclaration') {
      exported.set('default', { node: statement, binding: { kind: 'unknown' } })
    } else if (statement.type === 'ExportAllDeclaration') {
      if (statement.exported)
        exported.set(textOf(statement.exported), { node: statement, binding: { kind: 'unknown' } })
    } else if (statement.type === 'ExportNamedDeclaration') {
      if (statement.declaration) {
        const declared = new Map<string, Binding>()
        declare(statement.declaration, declared)
        for (const [name, binding] of declared) exported.set(name, { node: statement.declaration, binding })
      }
      for (const specifier of statement.specifiers) {
        const binding = statement.source ? undefined : names.get(textOf(specifier.local))
        exported.set(textOf(specifier.exported), { node: specifier, binding: binding ?? { kind: 'unknown' } })
      }
    }
  }
  return exported
}

function textOf(name: Identifier | Literal): string {
  return name.type === 'Identifier' ? name.name : String(name.value)
}

/** Why the value of `run` cannot be a workflow, or null. Follows identifiers to what they are bound to. */
function runProblem(binding: Binding, names: Map<string, Binding>): string | null {
  const seen = new Set<Binding>()
  let current: Binding | undefined = binding
  while (current?.kind === 'value' && current.value.type === 'Identifier' && !seen.has(current)) {
    seen.add(current)
    const { name } = current.value
    if (!names.has(name) && name === 'undefined') return `run is undefined: ${RUN_HINT}.`
    current = names.get(name)
  }
  return current?.kind === 'value' ? valueProblem(current.value) : null
}

function valueProblem(value: AnyNode): string | null {
  switch (value.type) {
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      if (value.async && !value.generator) {
        return 'run is an async function, which returns a promise: make it an async generator, `async function*`.'
      }
      if (value.generator && !value.async) {
        return 'run is a synchronous generator: make it an async generator, `async function*`.'
      }
      return null
    case 'CallExpression':
    case 'Identifier':
      return null
    default:
      return `run is ${nameOf(value.type)}: ${RUN_HINT}.`
  }
}

function nameOf(type: string): string {
  const words = type
    .replace(/(Expression|Declaration)$/, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
  return `${/^[aeiou]/.test(words) ? 'an' : 'a'} ${words}${type.endsWith('Expression') ? ' expression' : ''}`
}
