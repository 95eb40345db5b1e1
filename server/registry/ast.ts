import { type AnyNode, type Comment, getLineInfo, type Options, type Program, parse } from 'acorn'

/** Without `locations`: 10 MiB of code make millions of nodes, and only findings need a place. */
const OPTIONS: Options = { ecmaVersion: 'latest', sourceType: 'module' }

/** Parses an ES module. Throws acorn's SyntaxError, also when the source nests too deeply for it. */
export function parseModule(source: string, onComment?: Comment[]): Program {
  return parse(source, onComment ? { ...OPTIONS, onComment } : OPTIONS)
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
    if (Array.isArray(value)) children.push(...value.filter(isNode))
    else if (isNode(value)) children.push(value)
  }
  return children
}

function isNode(value: unknown): value is AnyNode {
  return (
    typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string' && 'start' in value
  )
}
