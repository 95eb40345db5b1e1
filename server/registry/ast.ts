import { type AnyNode, type Comment, type Options, type Program, parse } from 'acorn'

const OPTIONS: Options = { ecmaVersion: 'latest', sourceType: 'module', locations: true }

/** Parses an ES module. Throws acorn's SyntaxError, or a RangeError when the source nests too deeply. */
export function parseModule(source: string, onComment?: Comment[]): Program {
  return parse(source, onComment ? { ...OPTIONS, onComment } : OPTIONS)
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
