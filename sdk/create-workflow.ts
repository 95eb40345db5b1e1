import type {
  Agent,
  AgentContext,
  AgentResult,
  Binding,
  Metas,
  RoleDefinition,
  RoutingContext,
  StepOf,
  WorkflowDefinition,
} from './definition'
import { DefinitionError, ExtractionError, InputError } from './errors'
import { readTable, route } from './router'
import { summarizeSteps } from './summarize-steps'
import { takeMeta } from './take-meta'
import { END, type RoleOutput, type Runtime, type ThreadContext, type WorkflowFn } from './types'

type Player<M extends Metas, I> = { name: string; role: RoleDefinition<M[keyof M]>; agent: Agent<M, I> }

/**
 * The workflow as the generator that the platform runs. One round: the table picks a role, its agent answers, the answer
 * gives the meta, the text is stored, the step is yielded. Goes on from `thread.steps`, whatever made them.
 *
 * Throws `DefinitionError` at once; the generator throws `InputError`, `RoutingError`, `ExtractionError`, or what an
 * agent throws.
 */
export function createWorkflow<M extends Metas, I>(
  definition: WorkflowDefinition<M, I>,
  binding: Binding<M, I>,
): WorkflowFn {
  const rows = readTable(definition)
  const players = bindAgents(definition, binding)

  return async function* run(thread, runtime) {
    const input = readInput(definition, thread)
    // The platform stores what this workflow yielded, and routing rejects a step of a role that it does not have.
    let steps = thread.steps as readonly StepOf<M>[]
    checkSteps(steps, players)
    for (;;) {
      const context: RoutingContext<M, I> = { ...thread, steps, input }
      const next = route(rows, context)
      if (next === END) {
        return { returnCode: 0, summary: definition.summarize?.(context) ?? summarizeSteps(steps) }
      }
      const output = await playRole(playerOf(players, next), context, runtime)
      const recorded = yield output
      const timestamp = recorded?.timestamp ?? steps.at(-1)?.timestamp ?? thread.start.timestamp
      // Its meta has just passed the schema of its role.
      const step = { ...output, timestamp } as unknown as StepOf<M>
      steps = [...steps, step]
    }
  }
}

function bindAgents<M extends Metas, I>(
  definition: WorkflowDefinition<M, I>,
  binding: Binding<M, I>,
): Map<string, Player<M, I>> {
  const overrides = new Map<string, Agent<M, I> | undefined>(Object.entries(binding.overrides ?? {}))
  for (const name of overrides.keys()) {
    if (!Object.hasOwn(definition.roles, name)) {
      throw new DefinitionError(`overrides names "${name}", which is no role of the workflow.`)
    }
  }
  const players = new Map<string, Player<M, I>>()
  for (const [name, role] of Object.entries(definition.roles)) {
    const agent = overrides.get(name) ?? binding.agent
    if (!agent) throw new DefinitionError(`Nobody plays the role "${name}": give an agent, or an override for it.`)
    // `Object.entries` of the mapped type forgets which key each value came from.
    players.set(name, { name, role: role as RoleDefinition<M[keyof M]>, agent })
  }
  return players
}

function playerOf<M extends Metas, I>(players: Map<string, Player<M, I>>, name: string): Player<M, I> {
  const player = players.get(name)
  if (!player) throw new DefinitionError(`"${name}" is no role of the workflow.`)
  return player
}

/** A thread may be forked onto another version of its workflow: a last step that this version cannot place is an error. */
function checkSteps<M extends Metas, I>(steps: readonly StepOf<M>[], players: Map<string, Player<M, I>>): void {
  const last = steps.at(-1)
  if (last && !players.has(last.role)) {
    throw new DefinitionError(
      `The last step is of role "${last.role}", which this version of the workflow does not have. Start a new thread, or fork from an earlier step.`,
    )
  }
}

function readInput<M extends Metas, I>(definition: WorkflowDefinition<M, I>, thread: ThreadContext): I {
  // Without a schema, I is Json by default.
  if (!definition.input) return thread.start.input as I
  const parsed = definition.input.safeParse(thread.start.input ?? {})
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'input'}: ${message}`)
  throw new InputError(`The input does not fit this workflow. ${problems.join('; ')}`)
}

async function playRole<M extends Metas, I>(
  { name, role, agent }: Player<M, I>,
  thread: RoutingContext<M, I>,
  runtime: Runtime,
): Promise<RoleOutput> {
  runtime.signal.throwIfAborted()
  const currentRole: AgentContext<M, I>['currentRole'] = {
    name,
    description: role.description,
    systemPrompt: role.systemPrompt,
    schema: role.schema,
  }
  const result = await agent({ thread, input: thread.input, runtime, currentRole })
  const text = textOf(name, result)
  const taken = takeMeta(role.schema, result)
  if (!taken.ok) {
    const contentHash = await runtime.cas.put(text)
    const what = taken.problems.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ')
    const message = `What the role "${name}" returned does not give its meta. ${what}. The text is kept as ${contentHash}.`
    runtime.log(message, { level: 'error' })
    throw new ExtractionError(message, name, taken.problems, contentHash)
  }
  // `taken.meta` is the output of the role's schema.
  const refs = [...new Set(role.extractRefs?.(taken.meta as M[keyof M]) ?? [])]
  const contentHash = await runtime.cas.put(text, refs)
  const childThread = typeof result === 'string' ? null : (result.childThread ?? null)
  return { role: name, contentHash, meta: taken.meta, refs, childThread }
}

/** An agent is the author's code, and may be plain JavaScript: what it returned is checked, not assumed. */
function textOf(role: string, result: AgentResult): string {
  const text: unknown = typeof result === 'string' ? result : result?.output
  if (typeof text === 'string') return text
  throw new TypeError(`The agent of role "${role}" must return a string or { output: string, meta? }.`)
}
