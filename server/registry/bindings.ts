import type { AnyNode, Pattern, Program } from 'acorn'

/** What a top-level name of a module stands for. `unknown`: an import, a pattern, or a variable that is set later. */
export type Binding = { kind: 'value'; value: AnyNode } | { kind: 'unknown' }

/** Top-level bindings of a module, by name. */
export function declaredNames(program: Program): Map<string, Binding> {
  const names = new Map<string, Binding>()
  for (const statement of program.body) {
    if (statement.type === 'ImportDeclaration') {
      for (const { local } of statement.specifiers) names.set(local.name, { kind: 'unknown' })
    } else if (statement.type === 'ExportNamedDeclaration' && statement.declaration) {
      declare(statement.declaration, names)
    } else {
      declare(statement, names)
    }
  }
  return names
}

/** Names that a statement declares, with what they are bound to. */
export function declare(statement: AnyNode, names: Map<string, Binding>): void {
  if (statement.type === 'FunctionDeclaration' || statement.type === 'ClassDeclaration') {
    if (statement.id) names.set(statement.id.name, { kind: 'value', value: statement })
  } else if (statement.type === 'VariableDeclaration') {
    for (const { id, init } of statement.declarations) {
      if (id.type === 'Identifier') {
        names.set(id.name, init ? { kind: 'value', value: init } : { kind: 'unknown' })
      } else {
        for (const name of namesOf(id)) names.set(name, { kind: 'unknown' })
      }
    }
  }
}

export function bindsName(pattern: Pattern, name: string): boolean {
  return namesOf(pattern).includes(name)
}

/** Names that a pattern binds. Keeps its own stack, as patterns nest without bound. */
function namesOf(pattern: Pattern): string[] {
  const names: string[] = []
  const stack: (Pattern | null)[] = [pattern]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    switch (next?.type) {
      case 'Identifier':
        names.push(next.name)
        break
      case 'ObjectPattern':
        for (const property of next.properties) {
          stack.push(property.type === 'RestElement' ? property.argument : property.value)
        }
        break
      case 'ArrayPattern':
        for (const element of next.elements) stack.push(element)
        break
      case 'RestElement':
        stack.push(next.argument)
        break
      case 'AssignmentPattern':
        stack.push(next.left)
        break
    }
  }
  return names
}
