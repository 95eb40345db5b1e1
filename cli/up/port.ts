import { createServer } from 'node:net'
import { CliError } from '../cli-error'
import { EXIT_CODES } from '../exit-codes'

export const DEFAULT_PORT = 4400
const TRIED = 50

/** The port that was asked for, or the first free one from the default on. Throws when it is taken. */
export async function choosePort(wanted: number | undefined): Promise<number> {
  if (wanted !== undefined) {
    if (await isFree(wanted)) return wanted
    throw new CliError(
      EXIT_CODES.conflict,
      `Port ${wanted} on 127.0.0.1 is taken by another program. Stop it, name another with --port, or leave --port out to get a free one.`,
    )
  }
  for (let port = DEFAULT_PORT; port < DEFAULT_PORT + TRIED; port++) if (await isFree(port)) return port
  throw new CliError(
    EXIT_CODES.conflict,
    `No port from ${DEFAULT_PORT} to ${DEFAULT_PORT + TRIED - 1} is free on 127.0.0.1. Name one with --port.`,
  )
}

/** Binds it for a moment: the only answer that counts. */
function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false)
      else if (error.code === 'EACCES') {
        reject(
          new CliError(EXIT_CODES.notAllowed, `This user may not open port ${port}. Name one above 1023 with --port.`),
        )
      } else reject(error)
    })
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)))
  })
}
