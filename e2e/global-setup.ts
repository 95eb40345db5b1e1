import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createPortProbe } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@/cli/client'
import { startTree, type Tree } from '@/cli/up/tree'
import { log } from '@/server/kernel/log'
import { buildBundle } from '@/server/registry/build'
import { unpackBrowser } from './support/browser'
import { publishStack } from './support/stack'

/** Where the logs of the processes are when the tests are over. */
const LOGS = join(import.meta.dirname, '../test-results/logs')

/** Starts all of Cairn as `cairn up` does, in a folder and on ports of its own, with the workflows of the specs. Returns how to stop it. */
export default async function globalSetup(): Promise<() => Promise<void>> {
  log.level = 'warn'
  // A developer's own database is not for tests.
  delete process.env.DATABASE_URL
  unpackBrowser()
  const folder = mkdtempSync(join(tmpdir(), 'cairn-e2e-'))
  const report = (text: string) => void process.stdout.write(`${text}\n`)
  const options = { dir: join(folder, '.cairn'), dev: false, build: true, report, signal: new AbortController().signal }
  const stops: (() => Promise<void> | void)[] = [() => rmSync(folder, { recursive: true, force: true })]
  const stop = async () => {
    for (let next = stops.pop(); next; next = stops.pop()) await next()
  }
  try {
    const tree = await startTree({ ...options, port: await freePort() })
    stops.push(() => cpSync(join(options.dir, 'logs'), LOGS, { recursive: true }), tree.stop)
    const control = await startControl(tree)
    stops.push(control.close)
    await register(tree, 'hello', 'workflows/hello/index.ts', { exec: [] })
    await register(tree, 'gated', 'e2e/workflows/gated.ts', { exec: [{ command: 'sh', folders: [folder] }] })
    await register(tree, 'approval', 'e2e/workflows/approval.ts', { exec: [] })
    await register(tree, 'fragile', 'e2e/workflows/fragile.ts', { exec: [{ command: 'test', folders: [folder] }] })
    await register(tree, 'caller', 'e2e/workflows/caller.ts', { exec: [] })
    publishStack({ url: tree.url, key: tree.key, databaseUrl: tree.databaseUrl, folder, control: control.url })
  } catch (error) {
    await stop()
    throw error
  }
  return stop
}

async function register(
  tree: Tree,
  name: string,
  entry: string,
  grants: { exec: { command: string; folders: string[] }[] },
) {
  const { code } = await buildBundle(join(import.meta.dirname, '..', entry))
  await createClient(tree).workflow.add.mutate({ name, fileName: `${name}.esm.js`, source: code, grants })
}

/** Specs run in other processes and know no process numbers, which change when a process is started again. */
async function startControl(tree: Tree): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    const pid = request.method === 'POST' && request.url === '/stop-web' ? tree.pids().web : null
    if (pid !== null) process.kill(pid, 'SIGKILL')
    response.writeHead(pid === null ? 404 : 204).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return { url: `http://127.0.0.1:${portOf(server.address())}`, close }
}

async function freePort(): Promise<number> {
  const probe = createPortProbe().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const port = portOf(probe.address())
  probe.close()
  await once(probe, 'close')
  return port
}

function portOf(address: string | AddressInfo | null): number {
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  return address.port
}
