import { defaultShouldDehydrateQuery, QueryClient } from '@tanstack/react-query'
import { reasonOf } from './errors'

/** Errors that the same call may not meet again. */
const PASSING = ['UNAVAILABLE', 'TIMEOUT', 'INTERNAL', null]

export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // What the server rendered is fresh enough: streams say when it is not.
        staleTime: 15_000,
        retry: (failures, error) => failures < 3 && PASSING.includes(reasonOf(error)),
      },
      dehydrate: { shouldDehydrateQuery: defaultShouldDehydrateQuery },
    },
  })
}
