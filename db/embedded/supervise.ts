import { setTimeout as pause } from 'node:timers/promises'
import { log } from '@/server/kernel/log'
import { bringUp, type Running, type Site } from './bring-up'
import { takeOwnership } from './owner'
import { isAlive } from './process-table'

/** Restarts in a row; a server that then lived for `CALM_MS` counts as well again. */
const MAX_RESTARTS = 12
/** The wait grows to 1.6 s. */
const MOST_DOUBLINGS = 4
const CALM_MS = 60_000
const WATCH_MS = 200

export type Supervisor = {
  current(): Running
  /** No restart begins after this, and none is under way when it comes back. */
  stop(): Promise<void>
}

/** Watches a server that is ours and brings it back on the same port: after 0, 0.2, 0.4, 0.8, 1.6, 1.6 … s, then gives up. */
export function supervise(site: Site, first: Running, onLost: (error: unknown) => void = () => {}): Supervisor {
  let running = first
  const stopping = new AbortController()

  const watch = async () => {
    let restarts = 0
    while (!stopping.signal.aborted) {
      const since = performance.now()
      while (isAlive(running.pid)) {
        await pause(WATCH_MS, undefined, { signal: stopping.signal, ref: false })
      }
      if (stopping.signal.aborted) return
      if (performance.now() - since > CALM_MS) restarts = 0
      if (restarts >= MAX_RESTARTS) throw new Error(`Postgres died ${restarts + 1} times in a row.`)
      log.error({ pid: running.pid, port: first.port, restarts }, 'Postgres died: starting it again')
      if (restarts > 0)
        await pause(100 * 2 ** Math.min(restarts, MOST_DOUBLINGS), undefined, { signal: stopping.signal, ref: false })
      restarts += 1
      running = await bringUp(site, first.port)
      if (running.port !== first.port) throw new Error(`Another process started Postgres on port ${running.port}.`)
      takeOwnership(site.dataFolder)
      log.info({ pid: running.pid, port: running.port }, 'Postgres is back')
    }
  }

  const done = watch().catch((error: unknown) => {
    if (stopping.signal.aborted) return
    log.fatal({ err: error, log: site.logFile }, 'Postgres could not be brought back')
    onLost(error)
  })
  return {
    current: () => running,
    async stop() {
      stopping.abort()
      await done
    },
  }
}
