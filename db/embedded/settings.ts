import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Identity } from './identity'

const run = promisify(execFile)

/** Loopback TCP only: a socket file would bring the limit of about 100 characters on its path. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  password_encryption: 'scram-sha-256',
  max_connections: '200',
  shared_buffers: '256MB',
  fsync: 'on',
  synchronous_commit: 'on',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  lc_messages: 'C',
  logging_collector: 'off',
  log_line_prefix: '%m [%p] %a ',
} as const

/** Command-line words for the server; `overrides` win. Uses lz4 for full-page images where the build has it. */
export async function serverSettings(
  dataFolder: string,
  postgres: string,
  identity: Identity,
  overrides: Record<string, string>,
): Promise<string[]> {
  const compression = await accepts(dataFolder, postgres, identity, 'wal_compression=lz4')
  const settings = { ...SETTINGS, ...(compression ? { wal_compression: 'lz4' } : {}), ...overrides }
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

async function accepts(dataFolder: string, postgres: string, identity: Identity, setting: string): Promise<boolean> {
  const [command = '', ...args] = [
    ...identity.prefix,
    postgres,
    '-C',
    'wal_compression',
    '-c',
    setting,
    '-D',
    dataFolder,
  ]
  return run(command, args, identity.spawn).then(
    () => true,
    () => false,
  )
}
