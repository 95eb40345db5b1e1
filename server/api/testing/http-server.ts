import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { ReadableStream as NodeStream } from 'node:stream/web'
import { createTRPCClient, httpBatchLink, httpSubscriptionLink, splitLink, type TRPCClient } from '@trpc/client'
import { EventSource } from 'eventsource'
import { authenticate } from '@/server/access/authenticate'
import { createContext, type Services } from '../context'
import { handleApiRequest } from '../handle'
import type { AppRouter } from '../root'

export type TestApi = {
  url: string
  port: number
  /** Every client that is connected loses its connection, as when a network goes; new ones are taken. */
  dropConnections(): void
  close(): Promise<void>
}

/** The API over real HTTP on a free port of loopback, as the web process serves it. */
export async function serveApi(services: Services): Promise<TestApi> {
  const server = createServer((request, response) => {
    const kind = request.method === 'GET' ? 'read' : 'write'
    const incoming = toRequest(request, response)
    const context = createContext(services, () =>
      authenticate(services.db, { headers: incoming.headers, kind, port: portOf(server) }),
    )
    void handleApiRequest(incoming, context).then((answer) => send(answer, response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const port = portOf(server)
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    dropConnections: () => server.closeAllConnections(),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

/** A client as a program has it: a key, batches, and EventSource for subscriptions. */
export function clientOf(api: TestApi, key: string): TRPCClient<AppRouter> {
  const headers = { authorization: `Bearer ${key}` }
  const url = `${api.url}/api/trpc`
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: (operation) => operation.type === 'subscription',
        true: httpSubscriptionLink({
          url,
          EventSource,
          eventSourceOptions: {
            fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, ...headers } }),
          },
        }),
        false: httpBatchLink({ url, headers }),
      }),
    ],
  })
}

function portOf(server: Server): number {
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the server listens on a port')
  return address.port
}

function toRequest(request: IncomingMessage, response: ServerResponse): Request {
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value))
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD'
  return new Request(`http://${request.headers.host}${request.url}`, {
    method: request.method ?? 'GET',
    headers,
    signal: gone.signal,
    // Node's two types for one class; `duplex` is not in the DOM's type of the init.
    ...(hasBody ? ({ body: Readable.toWeb(request), duplex: 'half' } as object) : {}),
  })
}

function send(answer: Response, response: ServerResponse): void {
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  if (answer.body === null) return void response.end()
  // The DOM's and Node's types of the same stream.
  const body = Readable.fromWeb(answer.body as NodeStream)
  // A client that went away is an ordinary end.
  body.on('error', () => response.destroy())
  response.on('close', () => body.destroy())
  body.pipe(response)
}
