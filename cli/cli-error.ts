import { type ErrorCode, isAppError, messageOf } from '@/server/kernel/errors'
import { EXIT_CODES, type ExitCode } from './exit-codes'

/** A failure with a sentence for the person who typed the command, and the exit code that says which kind it is. */
export class CliError extends Error {
  override readonly name = 'CliError'
  constructor(
    readonly exitCode: ExitCode,
    message: string,
    options?: { cause?: unknown; reason?: string },
  ) {
    super(message, options)
    this.reason = options?.reason
  }
  /** The server's stable word for it, where it has one. */
  readonly reason: string | undefined
}

/** tRPC's codes (https://trpc.io/docs/server/error-handling), as exit codes. */
const BY_TRPC_CODE: Record<string, ExitCode> = {
  BAD_REQUEST: EXIT_CODES.usage,
  PARSE_ERROR: EXIT_CODES.usage,
  UNPROCESSABLE_CONTENT: EXIT_CODES.usage,
  PAYLOAD_TOO_LARGE: EXIT_CODES.usage,
  UNAUTHORIZED: EXIT_CODES.notAllowed,
  FORBIDDEN: EXIT_CODES.notAllowed,
  NOT_FOUND: EXIT_CODES.notFound,
  CONFLICT: EXIT_CODES.conflict,
  PRECONDITION_FAILED: EXIT_CODES.conflict,
  SERVICE_UNAVAILABLE: EXIT_CODES.unreachable,
}

const BY_APP_CODE: Partial<Record<ErrorCode, ExitCode>> = {
  BAD_INPUT: EXIT_CODES.usage,
  BUNDLE_REJECTED: EXIT_CODES.usage,
  UNAUTHORIZED: EXIT_CODES.notAllowed,
  FORBIDDEN: EXIT_CODES.notAllowed,
  NOT_GRANTED: EXIT_CODES.notAllowed,
  NOT_FOUND: EXIT_CODES.notFound,
  CONFLICT: EXIT_CODES.conflict,
  UNAVAILABLE: EXIT_CODES.unreachable,
}

/** Network failures of Node's fetch, and what they mean. */
const NETWORK_FAILURES: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'it closed the connection',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the host name cannot be looked up now',
  ETIMEDOUT: 'it does not answer',
  EHOSTUNREACH: 'the host cannot be reached',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer',
  UND_ERR_SOCKET: 'it closed the connection',
}

type TrpcFailure = Error & {
  data: { code?: unknown; reason?: unknown; requestId?: unknown } | undefined | null
  cause?: unknown
}

/** By name and not by class: `@trpc/client` is loaded only by the commands that talk to a server. */
function isTrpcFailure(error: unknown): error is TrpcFailure {
  return error instanceof Error && error.name === 'TRPCClientError'
}

/** The code of a failed connection anywhere down the causes (undici and EventSource both wrap it). */
export function networkFailure(error: unknown): string | null {
  for (let at = error, depth = 0; at && typeof at === 'object' && depth < 8; depth++) {
    const code: unknown = 'code' in at ? at.code : undefined
    if (typeof code === 'string' && code in NETWORK_FAILURES) return code
    if (at instanceof AggregateError && at.errors.length > 0) at = at.errors[0]
    else at = 'cause' in at ? at.cause : undefined
  }
  return null
}

/** Any failure as one that can be shown. `server` is the address the command talked to, where it talked to one. */
export function toCliError(error: unknown, server?: string): CliError {
  if (error instanceof CliError) return error
  // Of our own process: a database that is not there is no server that is not there, though the cause is the same.
  if (isAppError(error)) {
    const findings = isAppError(error, 'BUNDLE_REJECTED') ? error.data.findings : []
    const lines = findings.map(({ line, column, message }) => `\n  ${line ? `${line}:${column ?? 1} ` : ''}${message}`)
    return new CliError(BY_APP_CODE[error.code] ?? EXIT_CODES.failed, error.message + lines.join(''), {
      cause: error,
      reason: error.code,
    })
  }
  const failure = networkFailure(error)
  if (failure) {
    const hint = 'Start it with "cairn up", or name another with --url or CAIRN_URL.'
    const message = `The Cairn server${server ? ` at ${server}` : ''} cannot be reached: ${NETWORK_FAILURES[failure]} (${failure}). ${hint}`
    return new CliError(EXIT_CODES.unreachable, message, { cause: error })
  }
  if (isTrpcFailure(error)) {
    const { code, reason, requestId } = error.data ?? {}
    const exitCode = (typeof code === 'string' ? BY_TRPC_CODE[code] : undefined) ?? EXIT_CODES.failed
    if (code === undefined) {
      const message = `${server ?? 'The server'} did not answer as a Cairn server does: ${error.message}. Check the address.`
      return new CliError(EXIT_CODES.unreachable, message, { cause: error })
    }
    // The sentence then sends the reader to the log, under this id.
    const id = reason === 'INTERNAL' && typeof requestId === 'string' ? ` (${requestId})` : ''
    return new CliError(exitCode, error.message + id, {
      cause: error,
      ...(typeof reason === 'string' ? { reason } : {}),
    })
  }
  return new CliError(EXIT_CODES.failed, messageOf(error), { cause: error })
}
