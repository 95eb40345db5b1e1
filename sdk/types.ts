/** What crosses between a bundle and the platform. The platform validates all of it; a bundle is untrusted. */

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

export const START = '__start__'
export const END = '__end__'

export type GraphEdge = {
  /** A role or `__start__`. */
  from: string
  /** A role or `__end__`. */
  to: string
  /** Name of the condition, or `FALLBACK`. */
  condition: string
  conditionDescription: string | null
}

/** What a workflow asks for. Asking grants nothing: an admin grants per workflow. */
export type Permissions = {
  /** Names of commands that roles may run with `runtime.exec`. */
  exec?: string[]
}

export type WorkflowDescriptor = {
  description: string
  /** `schema` is a JSON Schema of the role's meta. */
  roles: Record<string, { description: string; schema: JsonObject }>
  graph: { edges: GraphEdge[] }
  /** JSON Schema of the thread's input; the run form is made from it. */
  input?: JsonObject
  permissions?: Permissions
}

export type RoleStep = {
  role: string
  contentHash: string
  meta: JsonObject
  refs: string[]
  /** Milliseconds since the epoch, by the database's clock. */
  timestamp: number
  childThread: string | null
}

export type ThreadContext = {
  threadId: string
  /** 0 for a thread that no other thread started. */
  depth: number
  bundleHash: string
  start: { content: string; input: Json; timestamp: number; parentState: string | null }
  /** A snapshot: it does not grow while the generator runs. */
  steps: readonly RoleStep[]
}

export type RoleOutput = {
  role: string
  /** Hash of a content node that `runtime.cas.put` returned, or of one that exists already. */
  contentHash: string
  meta: JsonObject
  /** Must equal the refs that the content was stored with. */
  refs: string[]
  childThread: string | null
}

export type WorkflowCompletion = { returnCode: number; summary: string }

export type ExecOptions = {
  /** Working folder; must lie inside a granted one. */
  cwd?: string
  stdin?: string
  timeoutMs?: number
}
export type ExecResult = { exitCode: number; stdout: string; stderr: string; durationMs: number }

export type Runtime = {
  cas: {
    /** Stores a text as a content node and returns its hash. It is durable no later than the step that is yielded next. */
    put(text: string, refs?: string[]): Promise<string>
    /** The text of a content node, or null when no such node exists. */
    get(hash: string): Promise<string | null>
  }
  /**
   * Runs a granted command without a shell; a non-zero exit is a result. Throws an error whose `name` says why it was not
   * run to its end: `NOT_GRANTED`, `BAD_INPUT` (folder), `NOT_FOUND` (command), `TIMEOUT`, `LIMIT_EXCEEDED` (output).
   */
  exec(command: string, args: string[], options?: ExecOptions): Promise<ExecResult>
  log(text: string, options?: { tag?: string; level?: 'debug' | 'info' | 'warn' | 'error' }): void
  /** Aborts on kill and when a deadline passes. */
  signal: AbortSignal
  dryRun: boolean
  /** Equal on every re-run of this role after the same step: a key for idempotent side effects. */
  attemptKey(role: string): string
}

/** What the platform answers to a yield: the step as it was recorded. */
export type Recorded = { timestamp: number }

/**
 * A workflow. Every run, first or resumed, is a new generator that gets the steps so far and goes on from there.
 * A runner that sends nothing back into a yield is fine: the SDK then dates the step by the one before it.
 */
export type WorkflowFn = (
  thread: ThreadContext,
  runtime: Runtime,
) => AsyncGenerator<RoleOutput, WorkflowCompletion, Recorded | undefined>
