/**
 * The one error type of the platform: a closed set of codes, each with typed data.
 * `server/api/error-map.ts` maps every code to a tRPC code and a log level; services never import tRPC.
 */
export type ErrorData = {
  /** Input that no retry can make right. `field` is a dotted path into the input. */
  BAD_INPUT: { field?: string }
  UNAUTHORIZED: Record<string, never>
  FORBIDDEN: Record<string, never>
  NOT_FOUND: { what: string; id: string }
  /** The thing is not in the state that the command needs. `current` says what it is now. */
  CONFLICT: { current?: string }
  /** Two different byte strings have this XXH64 hash. Nothing was written. */
  HASH_COLLISION: { hash: string }
  /** A node names a ref that does not exist. Nothing was written. */
  MISSING_REF: { refs: string[] }
  /** Stored bytes are not what their hash or digest says. */
  CORRUPT_NODE: { hash: string }
  BUNDLE_REJECTED: { findings: { line?: number; column?: number; message: string }[] }
  /** A named limit was crossed. */
  LIMIT_EXCEEDED: { limit: string; max: number; actual?: number }
  /** A workflow asked for what was not granted to it. */
  NOT_GRANTED: { permission: string }
  /** A thread was refused by the overflow policy of its workflow; it is recorded as `thread`. */
  DROPPED: { thread: string }
  TIMEOUT: { afterMs?: number }
  /** Postgres or another dependency cannot be reached now; the same call may succeed later. */
  UNAVAILABLE: { dependency: string }
  INTERNAL: Record<string, never>
}
export type ErrorCode = keyof ErrorData

export class AppError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = 'AppError'
  readonly code: C
  readonly data: ErrorData[C]

  /** `message` is a sentence for a person: what happened and what to do. */
  constructor(code: C, message: string, data: ErrorData[C], options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
    this.data = data
  }
}

export function isAppError<C extends ErrorCode>(error: unknown, code?: C): error is AppError<C> {
  return error instanceof AppError && (code === undefined || error.code === code)
}

/** The lease on a thread is held by somebody else, or by nobody. Ends the local run; it is never a failure of the thread. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
  constructor(readonly threadId: string) {
    super(`The lease on thread ${threadId} is no longer held by this runner.`)
  }
}

/** The run of a thread is over because the thread waits, or is to end: nobody is answered, and nothing has failed. */
export class Suspended extends Error {
  override readonly name = 'Suspended'
}

export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message
  return typeof error === 'string' ? error : (JSON.stringify(error) ?? String(error))
}
