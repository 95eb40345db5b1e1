import type { Metas, RoutingContext, Transition, WorkflowDefinition } from './definition'
import { DefinitionError, RoutingError } from './errors'
import { END, START } from './types'

const ROLE_NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/

export type Rows<M extends Metas, I> = Map<string, readonly Transition<M, I>[]>

/**
 * The table as a Map, checked: a START row, known targets, synchronous conditions, nothing after a FALLBACK.
 * A role without a row ends the thread. Throws `DefinitionError`, which names the row and what to change.
 */
export function readTable<M extends Metas, I>(definition: WorkflowDefinition<M, I>): Rows<M, I> {
  const roles = new Set(Object.keys(definition.roles))
  if (roles.size === 0) throw new DefinitionError('The workflow has no roles: define at least one.')
  for (const role of roles) {
    if (!ROLE_NAME.test(role) || role.length > 64) {
      throw new DefinitionError(
        `"${role}" is no role name: use at most 64 characters, lower-case words joined by single hyphens, like fix-tests.`,
      )
    }
  }
  const rows: Rows<M, I> = new Map(Object.entries(definition.table))
  if (!rows.has(START)) throw new DefinitionError('The table has no START row: say which role comes first.')
  for (const [from, row] of rows) {
    if (from !== START && !roles.has(from)) {
      throw new DefinitionError(`The table has a row for "${from}", which is no role (${list(roles)}).`)
    }
    checkRow(from, row, roles)
  }
  return rows
}

function checkRow<M extends Metas, I>(from: string, row: readonly Transition<M, I>[], roles: Set<string>): void {
  for (const [index, { condition, role }] of row.entries()) {
    const where = `Row "${from}", entry ${index + 1}`
    if (role !== END && !roles.has(role)) {
      throw new DefinitionError(`${where}: goes to "${role}", which is neither a role (${list(roles)}) nor END.`)
    }
    if (condition === 'FALLBACK') {
      if (index < row.length - 1) {
        throw new DefinitionError(
          `${where}: FALLBACK always matches, so the entries after it never run. Move it to the end of the row.`,
        )
      }
      continue
    }
    if (typeof condition?.check !== 'function' || !condition.name || condition.name === 'FALLBACK') {
      throw new DefinitionError(`${where}: the condition must be 'FALLBACK' or { name, description, check }.`)
    }
    if (condition.check.constructor.name === 'AsyncFunction') {
      throw new DefinitionError(
        `${where}: the condition "${condition.name}" is async. Routing is synchronous: let a role find out and put it in its meta.`,
      )
    }
  }
}

/** Where the thread goes next. Position is the role of the last step, so a resumed or forked thread routes the same way. */
export function route<M extends Metas, I>(rows: Rows<M, I>, ctx: RoutingContext<M, I>): string {
  const position = ctx.steps.at(-1)?.role ?? START
  for (const { condition, role } of rows.get(position) ?? []) {
    if (condition === 'FALLBACK') return role
    if (holds(position, condition, ctx)) return role
  }
  return END
}

function holds<M extends Metas, I>(
  position: string,
  condition: Exclude<Transition<M, I>['condition'], 'FALLBACK'>,
  ctx: RoutingContext<M, I>,
): boolean {
  let answer: unknown
  try {
    answer = condition.check(ctx)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new RoutingError(`The condition "${condition.name}" after ${position} threw: ${why}`, { cause })
  }
  if (typeof answer === 'object' && answer !== null && 'then' in answer) {
    throw new RoutingError(
      `The condition "${condition.name}" after ${position} answered with a promise. Routing is synchronous: let a role find out and put it in its meta.`,
    )
  }
  return Boolean(answer)
}

function list(roles: Set<string>): string {
  return [...roles].join(', ')
}
