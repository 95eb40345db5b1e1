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

export type StartThreadOptions = {
  /** `name` for its current version, or `name@hash`. */
  workflow: string
  prompt: string
  input?: Json
  maxRounds?: number
  tags?: string[]
  /** Only runners that have all of these labels take the child. */
  labels?: string[]
  /** Higher is claimed first. */
  priority?: number
}
/** A child as it stands: one that an earlier run of the role started may have ended already. */
export type ChildThread = { threadId: string; status: string }

export type WaitForInput = {
  /** JSON Schema of the answer: the form is made from it, and nothing else is taken. */
  input: JsonObject
  /** What the person is asked. */
  prompt: string
  /** Which answers fit: an answer is given to a name. Default `input`. */
  name?: string
  /** Hash of what is approved: an answer to something else does not count. */
  subject?: string
  /** Who may answer: people of at least this role, or of one of these names. Default: all who may operate threads. */
  answerers?: { role?: 'operator' | 'author' | 'admin' | 'owner'; names?: string[] }
  timeoutSeconds?: number
}
export type InputAnswer =
  | { answered: true; value: Json /** Name of who answered. */; by: string }
  | { answered: false; reason: 'timeout' }

/** A time, or milliseconds since the epoch, by the database's clock; years ahead are fine. */
export type WaitForTime = { until: Date | number }

export type WaitForThreads = ({ thread: string } | { threads: string[] }) & {
  /** Until all have ended (the default), any has, or one has completed; for `success` also when all have ended otherwise. */
  mode?: 'all' | 'any' | 'success'
  timeoutSeconds?: number
}
export type ThreadOutcome = {
  threadId: string
  /** Null when the thread was removed. */
  workflow: string | null
  status: 'completed' | 'failed' | 'killed' | 'dropped' | 'removed'
  returnCode: number | null
  summary: string | null
  steps: number | null
  /** Its end node; null when it ended without one. */
  end: string | null
}
export type ThreadsAnswer = {
  /** False when the wait timed out. */
  answered: boolean
  /** Of the threads that had ended then, in the order in which they were named. */
  outcomes: ThreadOutcome[]
  /** What a step gives as its `childThread`: the end of the one thread, or the hash of a group node of several; null without an end. */
  group: string | null
}

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
  /**
   * Starts a child thread, which runs on its own. When the role runs again, its n-th call gives the child that the n-th call
   * started before. Throws an error named `NOT_FOUND` (workflow), `LIMIT_EXCEEDED` (maxDepth), `CONFLICT` (the n-th call asked
   * for something else before) or `DROPPED` (the child's workflow is full).
   */
  startThread(options: StartThreadOptions): Promise<ChildThread>
  /**
   * Waits without holding a process, as long as it takes. What is not answered yet ends this run: nothing after the call runs,
   * `signal` aborts, and once the answer is there the role runs again from its beginning and its n-th wait gives the answer at
   * once. So a role must make the same waits in the same order each time it runs; one wait at a time is open.
   */
  wait(request: WaitForInput): Promise<InputAnswer>
  wait(request: WaitForTime): Promise<void>
  wait(request: WaitForThreads): Promise<ThreadsAnswer>
  log(text: string, options?: { tag?: string; level?: 'debug' | 'info' | 'warn' | 'error' }): void
  /** Aborts on kill, when a deadline passes, and with a reason named `Suspended` when this run ends for a wait or a pause. */
  signal: AbortSignal
  dryRun: boolean
  /** Equal on every re-run of this role after the same step of this thread, and no other's: a key for idempotent side effects. */
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
