import { createTRPCClient, httpBatchLink, httpSubscriptionLink, splitLink, type TRPCClient } from '@trpc/client'
import { EventSource } from 'eventsource'
import type { AppRouter } from '@/server/api/root'
import { type Connection, type ConnectionFlags, findConnection } from './connection'

export type Client = TRPCClient<AppRouter>

/** A typed client of one server. Failures are `TRPCClientError`. */
export function createClient({ url, key }: Connection): Client {
  const headers: Record<string, string> = {
    'x-cairn-client': 'cli',
    ...(key ? { authorization: `Bearer ${key}` } : {}),
  }
  const endpoint = `${url}/api/trpc`
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: (operation) => operation.type === 'subscription',
        true: httpSubscriptionLink({
          url: endpoint,
          EventSource,
          eventSourceOptions: {
            fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, ...headers } }),
          },
        }),
        false: httpBatchLink({ url: endpoint, headers }),
      }),
    ],
  })
}

/** The client that the flags, the environment and the folder of this process name. */
export async function connect(flags: ConnectionFlags): Promise<{ client: Client; url: string }> {
  const connection = await findConnection(flags, process.env, process.cwd())
  return { client: createClient(connection), url: connection.url }
}
