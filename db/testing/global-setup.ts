import { existsSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { findPostmaster } from '../embedded/postmaster'
import { birthOf } from '../embedded/process-table'
import { startEmbedded } from '../embedded/start-embedded'
import { stopPostmaster } from '../embedded/stop'
import { migrate } from '../migrate'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The migrated database of the run's server: the template of every test database. Nobody may stay connected to it. */
    templateUrl: string
  }
}

const PREFIX = 'cairn-test-'

/** One server a test run, in a folder named after the run's process; gone at the end. Nothing in it has to survive. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await removeLeftovers()
  const dir = join(tmpdir(), `${PREFIX}${process.pid}-${birthOf(process.pid)?.replaceAll(/\W/g, '_')}`)
  const server = await startEmbedded({
    dir,
    settings: { fsync: 'off', full_page_writes: 'off', shared_buffers: '64MB', max_wal_size: '512MB' },
  })
  await migrate(server.url)
  project.provide('templateUrl', server.url)
  return async () => {
    await server.stop()
    rmSync(dir, { recursive: true, force: true })
  }
}

/** Servers and folders of runs that were killed. */
async function removeLeftovers(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(PREFIX))) {
    const [pid = '', birth = ''] = name.slice(PREFIX.length).split(/-(.*)/s)
    if (birthOf(Number(pid))?.replaceAll(/\W/g, '_') === birth) continue
    const dataFolder = join(tmpdir(), name, 'postgres')
    const left = existsSync(dataFolder) ? findPostmaster(dataFolder) : undefined
    if (left) await stopPostmaster(left.pid, dataFolder)
    rmSync(join(tmpdir(), name), { recursive: true, force: true })
  }
}
