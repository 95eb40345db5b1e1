import { TRPCClientError } from '@trpc/client'
import type { AppRouter } from '@/server/api/root'
import type { ErrorCode } from '@/server/kernel/errors'

/** The stable reason that the API gave; null when the call did not reach it. */
export function reasonOf(error: unknown): ErrorCode | null {
  return apiError(error)?.data?.reason ?? null
}

function apiError(error: unknown): TRPCClientError<AppRouter> | null {
  // The one router of this application made every error of this class.
  return error instanceof TRPCClientError ? (error as TRPCClientError<AppRouter>) : null
}

/** The sentence to show: the API's own, or what to do when there was no answer. */
export function sentenceOf(error: unknown): string {
  if (reasonOf(error) === null) {
    return 'The server did not answer. Check that `cairn up` is running, then try again.'
  }
  const requestId = apiError(error)?.data?.requestId
  const text = error instanceof Error ? error.message : String(error)
  return requestId === null || requestId === undefined ? text : `${text}\nRequest ${requestId}`
}

/** Which fields of the input were wrong: message by dotted path. */
export function fieldErrorsOf(error: unknown): Map<string, string> {
  return new Map((apiError(error)?.data?.fields ?? []).map((field) => [field.path, field.message]))
}
