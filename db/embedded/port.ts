import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

const FILE = 'cairn.port'

/** The port of the last start when it is still free, so that clients which outlived the server find it again; else any. */
export async function choosePort(dataFolder: string): Promise<number> {
  const last = lastPort(dataFolder)
  if (last !== undefined && (await listenOn(last)) !== undefined) return last
  const port = await listenOn(0)
  if (port === undefined) throw new Error('No free port on 127.0.0.1.')
  return port
}

export function rememberPort(dataFolder: string, port: number): void {
  writeFileSync(join(dataFolder, FILE), String(port), { mode: 0o600 })
}

function lastPort(dataFolder: string): number | undefined {
  try {
    const port = Number(readFileSync(join(dataFolder, FILE), 'utf8'))
    return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined
  } catch {
    return undefined
  }
}

/** The port when it was free a moment ago (0 = any), else undefined. */
function listenOn(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : undefined))
    })
  })
}
