import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { markOf } from '../embedded/owner'
import { findPostmaster } from '../embedded/postmaster'
import { startEmbedded } from '../embedded/start-embedded'
import { stopPostmaster } from '../embedded/stop'
import { migrate } from '../migrate'

const PREFIX = 'cairn-test-'

export type TestServer = {
  /** Of a migrated database. */
  url: string
  /** Stops the server and removes its data. */
  stop(): Promise<void>
}

/** A server for this process, in a folder named after it. Nothing in it has to survive a crash, so it does not sync. */
export async function startTestServer(): Promise<TestServer> {
  await removeLeftovers()
  const dir = join(tmpdir(), `${PREFIX}${markOf(process.pid)}`)
  const server = await startEmbedded({
    dir,
    settings: { fsync: 'off', full_page_writes: 'off', shared_buffers: '64MB', max_wal_size: '512MB' },
  })
  const stop = async () => {
    await server.stop()
    rmSync(dir, { recursive: true, force: true })
  }
  try {
    await migrate(server.url)
  } catch (error) {
    await stop()
    throw error
  }
  return { url: server.url, stop }
}

/** Servers and folders of processes that were killed; those of other users are theirs. */
async function removeLeftovers(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(PREFIX))) {
    const dir = join(tmpdir(), name)
    const mark = name.slice(PREFIX.length)
    if (mark === markOf(Number.parseInt(mark, 10)) || statSync(dir).uid !== process.geteuid?.()) continue
    const dataFolder = join(dir, 'postgres')
    const left = existsSync(dataFolder) ? findPostmaster(dataFolder) : undefined
    if (left) await stopPostmaster(left.pid, dataFolder)
    rmSync(dir, { recursive: true, force: true })
  }
}
