import type { Caller, ChildTree } from '@/server/threads/views'
import { ellipsis, printableLine } from './terminal'
import { count } from './units'

/** The call stack of a thread as lines: its callers, the outermost first, and what it called. Nothing for a thread that is alone. */
export function stackLines(stack: { up: readonly Caller[]; down: readonly ChildTree[] }): string[] {
  const callers = stack.up.map(({ thread, calledAt }) => {
    const where =
      calledAt === null ? 'at its start' : `after step ${calledAt.step}${calledAt.role ? ` (${calledAt.role})` : ''}`
    return `called by ${thread.workflow} ${thread.id} ${where}; it is ${thread.status}`
  })
  return [...callers, ...stack.down.flatMap((tree) => treeLines(tree, 0))].map((line) => line.trimEnd())
}

function treeLines({ thread, children, more }: ChildTree, depth: number): string[] {
  const indent = '  '.repeat(depth)
  const end = thread.summary === null ? '' : `: ${ellipsis(printableLine(thread.summary), 100)}`
  return [
    `${indent}called ${thread.workflow} ${thread.id}, ${thread.status}, ${count(thread.steps, 'step')}${end}`,
    ...children.flatMap((child) => treeLines(child, depth + 1)),
    ...(more ? [`${indent}  … more: cairn thread children ${thread.id}`] : []),
  ]
}
