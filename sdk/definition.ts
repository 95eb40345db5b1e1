import type * as z from 'zod'
import type { END, Json, Permissions, RoleStep, Runtime, START, ThreadContext } from './types'

/** Role name → type of the role's meta. */
export type Metas = Record<string, Record<string, unknown>>

/** A role is data; who plays it is bound in `createWorkflow`. */
export type RoleDefinition<Meta> = {
  description: string
  /** What a model or a person is told when it plays the role. */
  systemPrompt: string
  /** Shape of the role's meta: a zod schema of an object that JSON can carry. */
  schema: z.ZodType<Meta>
  /** Hashes of the content nodes that the meta names, which the step then keeps alive; null when it names none. */
  extractRefs: ((meta: Meta) => string[]) | null
}

/** A recorded step of one of the roles of `M`, its meta typed by its role. */
export type StepOf<M extends Metas> = {
  [R in keyof M & string]: Omit<RoleStep, 'role' | 'meta'> & { role: R; meta: M[R] }
}[keyof M & string]

/** What routing sees: the thread so far and its input, read by the workflow's input schema. */
export type RoutingContext<M extends Metas, I> = Omit<ThreadContext, 'steps'> & {
  steps: readonly StepOf<M>[]
  input: I
}

export type Condition<M extends Metas, I> = {
  /** Label of the edge in the graph. */
  name: string
  description: string
  /** Synchronous and pure: it is evaluated again on the same steps when a thread resumes. */
  check(ctx: RoutingContext<M, I>): boolean
}

export type Transition<M extends Metas, I> = {
  condition: Condition<M, I> | 'FALLBACK'
  role: (keyof M & string) | typeof END
}

/** For START and for each role, where to go next: the first match wins, and no match ends the thread. */
export type RoutingTable<M extends Metas, I> = {
  [From in (keyof M & string) | typeof START]: readonly Transition<M, I>[]
}

export type WorkflowDefinition<M extends Metas, I = Json> = {
  description: string
  roles: { [R in keyof M]: RoleDefinition<M[R]> }
  table: NoInfer<RoutingTable<M, I>>
  /** Shape of the thread's input. A thread that was started without input is read as `{}`. */
  input?: z.ZodType<I>
  permissions?: Permissions
  /** The sentence that a finished thread ends with. Without it: which roles ran, how often. */
  summarize?: (ctx: RoutingContext<NoInfer<M>, NoInfer<I>>) => string
}

/** What an agent sees: the routing context, and what it may ask of the platform. */
export type AgentContext<M extends Metas = Metas, I = unknown> = {
  thread: RoutingContext<M, I>
  /** Same as `thread.input`. */
  input: I
  runtime: Runtime
  /** `schema` is the role's own: what the answer has to give. */
  currentRole: { name: keyof M & string; description: string; systemPrompt: string; schema: z.ZodType }
}

/** A text that is JSON fitting the role's schema, or a text with the meta beside it. */
export type AgentResult<Meta = Record<string, unknown>> =
  | string
  | { output: string; meta?: Meta; childThread?: string | null }

/** Whoever plays a role. `meta` is checked against the role's schema at run time. */
export type Agent<M extends Metas = Metas, I = unknown> = (ctx: AgentContext<M, I>) => Promise<AgentResult>

/** An agent bound to one role: its meta is checked by the compiler too. */
export type RoleAgent<M extends Metas, I, R extends keyof M> = (ctx: AgentContext<M, I>) => Promise<AgentResult<M[R]>>

type RoleAgents<M extends Metas, I> = { [R in keyof M]: RoleAgent<M, I, R> }

/** Who plays the roles: one agent for all with overrides by role, or an agent for every role. */
export type Binding<M extends Metas, I> =
  | { agent: Agent<M, I>; overrides?: Partial<RoleAgents<M, I>> }
  | { agent?: never; overrides: RoleAgents<M, I> }

/** Gives a role its type from its schema, so that `extractRefs` is checked. */
export function defineRole<Meta extends Record<string, unknown>>(role: RoleDefinition<Meta>): RoleDefinition<Meta> {
  return role
}

/** Gives a definition its type once, for `createWorkflow` and `buildDescriptor` alike. */
export function defineWorkflow<M extends Metas, I = Json>(
  definition: WorkflowDefinition<M, I>,
): WorkflowDefinition<M, I> {
  return definition
}
