import { type AnyNode, type Comment, getLineInfo, type Options, Parser, type Program } from 'acorn'

/** Without `locations`: 10 MiB of code make millions of nodes, and only findings need a place. */
const OPTIONS: Options = { ecmaVersion: 'latest', sourceType: 'module' }

/** Parses an ES module. Throws acorn's SyntaxError, also when the source nests too deeply for it. */
export function parseModule(source: string, onComment?: Comment[]): Program {
  return ModuleParser.parse(source, onComment ? { ...OPTIONS, onComment } : OPTIONS)
}

/** Names of a scope. acorn searches the whole list at each declaration: minutes for the functions of 10 MiB. */
class NameList extends Array<string> {
  private readonly names = new Set<string>()

  override push(name: string): number {
    this.names.add(name)
    return super.push(name)
  }

  /** acorn asks only whether it is negative. */
  override indexOf(name: string): number {
    return this.names.has(name) ? 0 : -1
  }
}

type Scopes = {
  scopeStack: { var: string[]; lexical: string[]; functions: string[] }[]
  enterScope(flags: number): void
}
// What acorn 8.19.0 keeps and leaves out of its types; its plugins extend the parser in this way.
const ParserWithScopes = Parser as unknown as { new (): Scopes; parse: typeof Parser.parse }

class ModuleParser extends ParserWithScopes {
  override enterScope(flags: number): void {
    super.enterScope(flags)
    const scope = this.scopeStack.at(-1)
    if (scope) Object.assign(scope, { var: new NameList(), lexical: new NameList(), functions: new NameList() })
  }
}

/** From 1, as editors count. */
export type Place = { line: number; column: number }

export function placeOf(source: string, offset: number): Place {
  const { line, column } = getLineInfo(source, offset)
  return { line, column: column + 1 }
}

/**
 * Visits every node, parents first, with its ancestors (nearest last). Keeps its own stack: a long chain of members nests
 * deeper than a recursive walk can go.
 */
export function walk(root: Program, visit: (node: AnyNode, ancestors: readonly AnyNode[]) => void): void {
  const path: AnyNode[] = []
  const stack: ({ enter: AnyNode } | 'leave')[] = [{ enter: root }]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (next === 'leave') {
      path.pop()
      continue
    }
    const node = next.enter
    visit(node, path)
    path.push(node)
    stack.push('leave')
    for (const child of childrenOf(node).reverse()) stack.push({ enter: child })
  }
}

function childrenOf(node: AnyNode): AnyNode[] {
  const children: AnyNode[] = []
  for (const value of Object.values(node)) {
    // One by one: a table of a hundred thousand entries is more than a call takes arguments.
    if (Array.isArray(value)) {
      for (const item of value) if (isNode(item)) children.push(item)
    } else if (isNode(value)) children.push(value)
  }
  return children
}

function isNode(value: unknown): value is AnyNode {
  return (
    typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string' && 'start' in value
  )
}
