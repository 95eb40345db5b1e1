import type { TRPC_ERROR_CODE_KEY } from '@trpc/server/rpc'
import type { ErrorCode } from '@/server/kernel/errors'

type Mapping = {
  trpc: TRPC_ERROR_CODE_KEY
  log: 'debug' | 'info' | 'warn' | 'error'
  /** Sent instead of the error's own sentence, which may name hosts, tables or files of the server. */
  publicMessage?: string
}

/** Total: a new code without a line here does not compile. */
export const ERROR_MAP = {
  BAD_INPUT: { trpc: 'BAD_REQUEST', log: 'info' },
  UNAUTHORIZED: { trpc: 'UNAUTHORIZED', log: 'info' },
  FORBIDDEN: { trpc: 'FORBIDDEN', log: 'warn' },
  NOT_FOUND: { trpc: 'NOT_FOUND', log: 'info' },
  CONFLICT: { trpc: 'CONFLICT', log: 'info' },
  HASH_COLLISION: { trpc: 'CONFLICT', log: 'error' },
  MISSING_REF: { trpc: 'UNPROCESSABLE_CONTENT', log: 'info' },
  CORRUPT_NODE: { trpc: 'UNPROCESSABLE_CONTENT', log: 'error' },
  BUNDLE_REJECTED: { trpc: 'UNPROCESSABLE_CONTENT', log: 'info' },
  LIMIT_EXCEEDED: { trpc: 'PAYLOAD_TOO_LARGE', log: 'info' },
  DROPPED: { trpc: 'CONFLICT', log: 'info' },
  NOT_GRANTED: { trpc: 'FORBIDDEN', log: 'info' },
  TIMEOUT: { trpc: 'GATEWAY_TIMEOUT', log: 'warn', publicMessage: 'This took too long and was given up. Try again.' },
  UNAVAILABLE: {
    trpc: 'SERVICE_UNAVAILABLE',
    log: 'error',
    publicMessage: 'A service that this needs cannot be reached now. Try again in a moment.',
  },
  INTERNAL: {
    trpc: 'INTERNAL_SERVER_ERROR',
    log: 'error',
    publicMessage: 'Something went wrong in the server. Its log tells more under the request id.',
  },
} satisfies Record<ErrorCode, Mapping>

export function mappingOf(code: ErrorCode): Mapping {
  return ERROR_MAP[code]
}
