import type { Metas, WorkflowDefinition } from './definition'
import { DefinitionError } from './errors'
import { jsonSchema } from './json-schema'
import { type Rows, readTable } from './router'
import { END, type GraphEdge, type WorkflowDescriptor } from './types'

/**
 * What the platform shows of a workflow: role schemas as JSON Schema, and the graph as the table routes it. A row that can
 * run out of matches gets the edge to END that this means. Throws `DefinitionError`.
 */
export function buildDescriptor<M extends Metas, I>(definition: WorkflowDefinition<M, I>): WorkflowDescriptor {
  const rows = readTable(definition)
  const roles = Object.entries(definition.roles).map(([name, role]) => {
    const schema = jsonSchema(role.schema, 'output', `The schema of role "${name}"`)
    if (schema.type !== 'object' && !('anyOf' in schema) && !('oneOf' in schema) && !('allOf' in schema)) {
      throw new DefinitionError(`The schema of role "${name}" must describe an object: wrap it in z.object({ … }).`)
    }
    return [name, { description: role.description, schema }] as const
  })
  return {
    description: definition.description,
    roles: Object.fromEntries(roles),
    graph: { edges: [...rows.keys()].flatMap((from) => edgesOf(from, rows)).concat(silentEnds(definition, rows)) },
    ...(definition.input ? { input: jsonSchema(definition.input, 'input', 'The input schema') } : {}),
    ...(definition.permissions ? { permissions: definition.permissions } : {}),
  }
}

function edgesOf<M extends Metas, I>(from: string, rows: Rows<M, I>): GraphEdge[] {
  const row = rows.get(from) ?? []
  const edges = row.map(({ condition, role }) =>
    condition === 'FALLBACK'
      ? { from, to: role, condition, conditionDescription: null }
      : { from, to: role, condition: condition.name, conditionDescription: condition.description },
  )
  return row.at(-1)?.condition === 'FALLBACK' ? edges : [...edges, silentEnd(from)]
}

function silentEnds<M extends Metas, I>(definition: WorkflowDefinition<M, I>, rows: Rows<M, I>): GraphEdge[] {
  return Object.keys(definition.roles)
    .filter((role) => !rows.has(role))
    .map(silentEnd)
}

function silentEnd(from: string): GraphEdge {
  return { from, to: END, condition: 'FALLBACK', conditionDescription: 'No condition of the row holds.' }
}
