import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import { log } from '@/server/kernel/log'
import type { Context } from './context'
import { mappingOf } from './error-map'
import { reasonOf, toTrpcError } from './error-shape'
import { appRouter } from './root'

export const API_PATH = '/api/trpc'

/** Answers one HTTP request to the API: queries, mutations and, as server-sent events, subscriptions. */
export function handleApiRequest(request: Request, context: Context): Promise<Response> {
  return fetchRequestHandler({
    endpoint: API_PATH,
    req: request,
    router: appRouter,
    createContext: () => context,
    responseMeta: () => ({ headers: new Headers({ 'cache-control': 'no-store', 'x-request-id': context.requestId }) }),
    onError({ error, path }) {
      const mapped = toTrpcError(error)
      const reason = reasonOf(mapped)
      const level = mappingOf(reason).log
      log[level](
        { requestId: context.requestId, path, reason, err: level === 'error' ? mapped : mapped.message },
        'call failed',
      )
    },
  })
}
