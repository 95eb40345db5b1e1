import { createServer, connect as dial, type Server, type Socket } from 'node:net'

export type DatabaseProxy = {
  /** The same database, through the proxy. */
  url: string
  /** Cuts every connection and refuses new ones, as a server that stopped does. */
  cut(): Promise<void>
  restore(): Promise<void>
  close(): Promise<void>
}

/** A wire to the server of `databaseUrl` that a test can cut, while its own connections stay. */
export async function databaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let server: Server | null = null

  function join(client: Socket) {
    const upstream = dial(Number(target.port), target.hostname)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.pipe(other)
      // A reset is what a cut looks like from the other side: `close` follows, and ends the pair.
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
  }

  async function listenOn(port: number): Promise<number> {
    const listening = createServer(join)
    server = listening
    await new Promise<void>((resolve) => listening.listen(port, '127.0.0.1', resolve))
    const address = listening.address()
    return typeof address === 'object' && address !== null ? address.port : port
  }

  async function cut() {
    const closing = server
    server = null
    const closed = new Promise((resolve) => (closing === null ? resolve(null) : closing.close(resolve)))
    for (const socket of sockets) socket.destroy()
    await closed
  }

  const port = await listenOn(0)
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return {
    url: url.href,
    cut,
    async restore() {
      await listenOn(port)
    },
    close: cut,
  }
}
