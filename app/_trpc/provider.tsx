'use client'

import { QueryClientProvider } from '@tanstack/react-query'
import { createTRPCClient, httpBatchLink, httpSubscriptionLink, splitLink } from '@trpc/client'
import { type ReactNode, useState } from 'react'
import type { AppRouter } from '@/server/api/root'
import { TRPCProvider } from './context'
import { makeQueryClient } from './query-client'

const url = '/api/trpc'

function makeClient() {
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: (operation) => operation.type === 'subscription',
        true: httpSubscriptionLink({ url }),
        // A request line of 8 KB passes every server and proxy.
        false: httpBatchLink({ url, maxURLLength: 8_000 }),
      }),
    ],
  })
}

/** Gives components the API: queries and mutations in batches, subscriptions by server-sent events. */
export function ApiProvider({ children }: { children: ReactNode }) {
  const [queryClient] = useState(makeQueryClient)
  const [client] = useState(makeClient)
  return (
    <QueryClientProvider client={queryClient}>
      <TRPCProvider trpcClient={client} queryClient={queryClient}>
        {children}
      </TRPCProvider>
    </QueryClientProvider>
  )
}
