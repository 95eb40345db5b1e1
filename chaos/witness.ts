import { createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { Database } from '@/db/client'

/** What was told of one attempt: how often, and by which thread. */
export type Told = { key: string; thread: string; n: number; times: number }

export type Witness = {
  port: number
  told(): Promise<Told[]>
  close(): Promise<void>
}

/**
 * Counts in tables outside Cairn's own what the roles of bundles do. A command that a bundle runs connects, says one line
 * `<step|flaky> <attempt key> <thread> <n>`, and is answered once that is committed.
 */
export async function startWitness(db: Database): Promise<Witness> {
  await db.sql`create schema witness`
  await db.sql`
    create table witness.told (key text, thread text, n int, times int not null default 1, primary key (key, thread))`
  await db.sql`create table witness.failed (thread text, n int, primary key (thread, n))`

  async function answer(line: string): Promise<string> {
    const [what, key = '', thread = '', n = ''] = line.split(' ')
    if (what === 'flaky') {
      // By step and not by attempt: a retry is another attempt, and is not to fail again.
      const rows = await db.sql`
        insert into witness.failed (thread, n) values (${thread}, ${n}) on conflict do nothing returning 1`
      return rows.length === 0 ? 'ok' : 'no'
    }
    await db.sql`
      insert into witness.told (key, thread, n) values (${key}, ${thread}, ${n})
      on conflict (key, thread) do update set times = told.times + 1`
    return 'ok'
  }

  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy()) // The command was killed: nobody is there to be answered.
    socket.on('close', () => sockets.delete(socket))
    const lines = createInterface({ input: socket })
    lines.on('error', () => socket.destroy())
    lines.once('line', (line) =>
      answer(line).then(
        (said) => socket.end(`${said}\n`),
        () => socket.destroy(),
      ),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The witness listens on a port.')
  return {
    port: address.port,
    async told() {
      return await db.sql<Told[]>`select key, thread, n, times from witness.told`
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
