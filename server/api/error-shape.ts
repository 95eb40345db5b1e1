import { TRPCError } from '@trpc/server'
import { type TRPC_ERROR_CODE_KEY, TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc'
import { getStatusCodeFromKey } from '@trpc/server/unstable-core-do-not-import'
import { ZodError } from 'zod'
import { AppError, type ErrorCode, type ErrorData } from '@/server/kernel/errors'
import { mappingOf } from './error-map'

/** `data` of every error that the API answers with. */
export type ErrorShapeData = {
  code: TRPC_ERROR_CODE_KEY
  httpStatus: number
  path: string | null
  /** Stable: for programs. */
  reason: ErrorCode
  /** What the code carries: see `ErrorData`. */
  details: ErrorData[ErrorCode]
  /** Where the input was wrong, as dotted paths. */
  fields: { path: string; message: string }[]
  /** Finds the call in the server's log. */
  requestId: string | null
}

/** Reasons for the errors that tRPC itself makes before a procedure runs. Those not named here are the server's fault. */
const REASON_OF_TRPC: Partial<Record<TRPC_ERROR_CODE_KEY, ErrorCode>> = {
  PARSE_ERROR: 'BAD_INPUT',
  BAD_REQUEST: 'BAD_INPUT',
  METHOD_NOT_SUPPORTED: 'BAD_INPUT',
  UNSUPPORTED_MEDIA_TYPE: 'BAD_INPUT',
  NOT_FOUND: 'NOT_FOUND',
  PAYLOAD_TOO_LARGE: 'LIMIT_EXCEEDED',
}

/** The error as tRPC wants it, so that the HTTP status and the JSON-RPC code follow the AppError that caused it. */
export function toTrpcError(error: unknown): TRPCError {
  const cause = error instanceof TRPCError ? error.cause : error
  if (cause instanceof AppError) {
    return new TRPCError({ code: mappingOf(cause.code).trpc, message: cause.message, cause })
  }
  return error instanceof TRPCError ? error : new TRPCError({ code: 'INTERNAL_SERVER_ERROR', cause })
}

export function reasonOf(error: TRPCError): ErrorCode {
  if (error.cause instanceof AppError) return error.cause.code
  return REASON_OF_TRPC[error.code] ?? 'INTERNAL'
}

/** What the caller sees: never a stack; the text of a server fault stays in the log. */
export function errorShape(error: TRPCError, path: string | null, requestId: string | null) {
  const mapped = toTrpcError(error)
  const reason = reasonOf(mapped)
  const fields = mapped.code === 'BAD_REQUEST' && mapped.cause instanceof ZodError ? fieldsOf(mapped.cause) : []
  const data: ErrorShapeData = {
    code: mapped.code,
    httpStatus: getStatusCodeFromKey(mapped.code),
    path,
    reason,
    details: mapped.cause instanceof AppError ? mapped.cause.data : {},
    fields,
    requestId,
  }
  const message = fields.length > 0 ? sentenceOf(fields) : (mappingOf(reason).publicMessage ?? mapped.message)
  return { code: TRPC_ERROR_CODES_BY_KEY[mapped.code], message, data }
}

function fieldsOf(error: ZodError): ErrorShapeData['fields'] {
  return error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message }))
}

function sentenceOf(fields: ErrorShapeData['fields']): string {
  const parts = fields.map((field) => (field.path === '' ? field.message : `${field.path}: ${field.message}`))
  return `The input is not valid. ${parts.join('; ')}.`
}
