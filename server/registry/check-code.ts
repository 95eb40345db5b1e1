import { isBuiltin } from 'node:module'
import type { AnyNode, Program } from 'acorn'
import { placeOf, walk } from './ast'
import { bindsName, declaredNames } from './bindings'
import { MAX_FINDINGS, type Problem, SDK_SPECIFIERS } from './findings'

/** Built-ins that the worker's sandbox refuses at run time, and what to use instead. */
const BLOCKED = new Map([
  ['child_process', 'run a granted command with runtime.exec'],
  ['cluster', 'start another thread'],
  ['worker_threads', 'start another thread'],
  ['inspector', 'log with runtime.log'],
])

export type CodeCheck = { problems: Problem[]; warnings: string[] }

/** Everything a bundle loads or could load: imports, re-exports, `import()`, `require`, `createRequire`, `import.meta`. */
export function checkCode(program: Program, source: string): CodeCheck {
  const problems: Problem[] = []
  const warnings = new Set<string>()
  let firstMeta: number | undefined
  const reject = (node: AnyNode, message: string) => problems.push({ offset: node.start, message })
  const moduleNames = declaredNames(program)

  walk(program, (node, ancestors) => {
    if (problems.length >= MAX_FINDINGS) return
    switch (node.type) {
      case 'ImportExpression':
        return reject(
          node,
          'import() is not allowed: a bundle is one file. Import it at the top, and let `cairn build` inline it.',
        )
      case 'ImportDeclaration':
      case 'ExportNamedDeclaration':
      case 'ExportAllDeclaration': {
        const specifier = node.source?.value
        if (typeof specifier !== 'string') return
        const problem = importProblem(specifier)
        if (problem) return reject(node.source ?? node, problem)
        const instead = BLOCKED.get(specifier.replace(/^node:/, '').replace(/\/.*/, ''))
        if (instead) warnings.add(`${specifier} is blocked where bundles run: ${instead}.`)
        return
      }
      case 'MetaProperty':
        if (node.meta.name === 'import') firstMeta ??= node.start
        return
      case 'Identifier':
        if (node.name === 'createRequire') return reject(node, loaderProblem('createRequire'))
        if (node.name === 'getBuiltinModule') return reject(node, loaderProblem('getBuiltinModule'))
        if (
          node.name === 'require' &&
          isReference(node, ancestors) &&
          !moduleNames.has('require') &&
          !isLocal('require', ancestors)
        ) {
          return reject(node, loaderProblem('require'))
        }
        return
      case 'MemberExpression':
        if (node.computed && node.property.type === 'Literal') {
          const { value } = node.property
          if (value === 'createRequire' || value === 'getBuiltinModule') reject(node.property, loaderProblem(value))
        }
        return
    }
  })
  if (firstMeta !== undefined) {
    const { line, column } = placeOf(source, firstMeta)
    warnings.add(`${line}:${column}: import.meta says where a runner put the bundle, which differs from run to run.`)
  }
  return { problems, warnings: [...warnings] }
}

function importProblem(specifier: string): string | null {
  if (/^(node:)?module$/.test(specifier)) {
    return `"${specifier}" can load code that was not checked: import what you need at the top instead.`
  }
  if (isBuiltin(specifier) || SDK_SPECIFIERS.has(specifier)) return null
  const shown = specifier.length > 80 ? `${specifier.slice(0, 80)}…` : specifier
  return `"${shown}" is not part of Node: a bundle is one file. Build it with \`cairn build\`, which inlines packages and files.`
}

function loaderProblem(name: string): string {
  return `${name} is not allowed: import Node built-ins at the top, and let \`cairn build\` inline packages.`
}

/** Whether the identifier reads a variable: no property name, key or label. `typeof require` only asks. */
function isReference(node: AnyNode, ancestors: readonly AnyNode[]): boolean {
  const parent = ancestors.at(-1)
  switch (parent?.type) {
    case 'MemberExpression':
      return parent.object === node || parent.computed
    case 'Property':
      return parent.value === node || parent.computed
    case 'MethodDefinition':
    case 'PropertyDefinition':
      return parent.value === node || parent.computed
    case 'ImportSpecifier':
    case 'ExportSpecifier':
    case 'LabeledStatement':
    case 'BreakStatement':
    case 'ContinueStatement':
      return false
    case 'UnaryExpression':
      return parent.operator !== 'typeof'
    default:
      return true
  }
}

/** Whether a function around the node has a parameter of that name, as the wrappers of bundlers do. */
function isLocal(name: string, ancestors: readonly AnyNode[]): boolean {
  return ancestors.some((node) => isFunction(node) && node.params.some((parameter) => bindsName(parameter, name)))
}

type FunctionNode = Extract<AnyNode, { type: 'FunctionDeclaration' | 'FunctionExpression' | 'ArrowFunctionExpression' }>

function isFunction(node: AnyNode): node is FunctionNode {
  return (
    node.type === 'FunctionDeclaration' || node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression'
  )
}
