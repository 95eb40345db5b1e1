import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '@/db/client'
import { listen } from '@/db/listen'
import { readChangeCount } from '@/db/queries/threads/read-changes'
import { readMarks, type ThreadMark } from '@/db/queries/threads/read-marks'
import { createBell } from '@/server/kernel/bell'
import { isAppError, messageOf } from '@/server/kernel/errors'
import { log } from '@/server/kernel/log'
import { testPoint } from '@/server/kernel/test-point'
import { threadNotFound } from './not-found'
import type { ThreadRecord } from './records'
import { type Channel, createChannel, cursorOf } from './watch-channel'
import { createPoller } from './watch-poller'

/** Notifications arrive here; they are hints, and a poll finds what they would have told. */
const CHANGE_CHANNEL = 'cairn_change'
const POLL_MS = 1_000
/** Polls follow one another no faster than this while notifications pour in. */
const GAP_MS = 10
/** Ticks of `watchAll` follow one another no faster than this. */
const TICK_MS = 500

export type WatchHub = {
  /**
   * Every record of a thread that follows `after` (null: all), then each new one as it is written; over after `end`. A
   * reader that comes back with the last cursor misses nothing and sees nothing twice. A slow reader holds one page and
   * delays nobody. Throws NOT_FOUND. The database may go away meanwhile: it then waits.
   */
  watchThread(id: string, after: string | null, signal?: AbortSignal): AsyncGenerator<ThreadRecord, void>
  /** A tick at once and whenever any thread changed. */
  watchAll(signal?: AbortSignal): AsyncGenerator<{ at: string }, void>
  /** How many watch now. */
  watchers(): number
  close(): Promise<void>
}

/**
 * What a web process needs to follow threads: one connection that listens, one poll for all threads that somebody watches,
 * one read of what is new in each. Without watchers it asks the database nothing.
 */
export function createWatchHub(db: Database, options: { pollMs?: number; listens?: boolean } = {}): WatchHub {
  const channels = new Map<string, Channel>()
  const anyChange = createBell()
  const watchers = new Set<AbortController>()
  let listWatchers = 0
  let changes = 0
  let changeCount: number | null = null
  let outage = false
  let listener: Promise<{ close(): Promise<void> } | null> | null = null

  const poller = createPoller({ poll, onError, intervalMs: options.pollMs ?? POLL_MS, gapMs: GAP_MS })

  async function poll() {
    if (options.listens !== false) listener ??= startListening()
    const ids = [...channels.keys()]
    const [marks, count] = await Promise.all([
      ids.length > 0 ? readMarks(db, ids) : [],
      listWatchers > 0 ? readChangeCount(db) : null,
    ])
    outage = false
    const byId = new Map(marks.map((mark) => [mark.id, mark]))
    for (const id of ids) channels.get(id)?.setMark(byId.get(id) ?? null)
    if (count !== null && changeCount !== null && count !== changeCount) noteChange()
    changeCount = count
  }

  function onError(error: unknown) {
    if (!outage) log.warn({ reason: messageOf(error) }, 'watching is interrupted until the database answers again')
    outage = true
  }

  async function startListening() {
    try {
      const listening = await listen(db.url, CHANGE_CHANNEL, onHint)
      // Whatever happened before it listened was told to nobody.
      onHint()
      return listening
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'no notifications: changes are found by polling until this succeeds')
      listener = null
      return null
    }
  }

  function onHint() {
    noteChange()
    poller.hint()
  }

  function noteChange() {
    changes++
    anyChange.ring()
  }

  /** The signal of one watcher; polling goes on while there is any. */
  function join(given: AbortSignal | undefined) {
    const watcher = new AbortController()
    const abort = () => watcher.abort()
    if (given?.aborted) abort()
    given?.addEventListener('abort', abort)
    watchers.add(watcher)
    poller.start()
    const leave = () => {
      given?.removeEventListener('abort', abort)
      watchers.delete(watcher)
      if (watchers.size === 0) poller.stop()
    }
    return { signal: watcher.signal, leave }
  }

  async function* watchThread(id: string, after: string | null, given?: AbortSignal) {
    const { signal, leave } = join(given)
    const channel = channels.get(id) ?? createChannel(db)
    channels.set(id, channel)
    channel.subscribers++
    try {
      // Also when others watch it: the cursor may come from a process that has seen more than the last poll here.
      await poller.fresh(signal)
      let cursor = after
      while (!signal.aborted) {
        const mark = channel.mark()
        if (mark === null) throw threadNotFound(id)
        const page = await readPage(channel, mark, cursor, signal)
        if (page === null) continue
        for (const record of page.items) {
          if (signal.aborted) return
          yield record
          if (record.kind === 'end') return
        }
        cursor = page.cursor
        if (page.finished) return
        if (cursor === cursorOf(mark) && channel.mark() === mark) await channel.bell.wait(signal)
      }
    } finally {
      channel.subscribers--
      if (channel.subscribers === 0) channels.delete(id)
      leave()
    }
  }

  /** Null when the database is away; resolves then when it is back. */
  async function readPage(channel: Channel, mark: ThreadMark, cursor: string | null, signal: AbortSignal) {
    try {
      await testPoint('watch:before-read')
      return await channel.page(mark, cursor)
    } catch (error) {
      if (!isAppError(error, 'UNAVAILABLE')) throw error
      await poller.fresh(signal)
      return null
    }
  }

  async function* watchAll(given?: AbortSignal) {
    const { signal, leave } = join(given)
    listWatchers++
    try {
      while (!signal.aborted) {
        const seen = changes
        yield { at: new Date().toISOString() }
        await Promise.all([
          delay(TICK_MS, undefined, { signal }).catch(() => undefined),
          changes === seen ? anyChange.wait(signal) : undefined,
        ])
      }
    } finally {
      listWatchers--
      if (listWatchers === 0) changeCount = null
      leave()
    }
  }

  return {
    watchThread,
    watchAll,
    watchers: () => watchers.size,
    async close() {
      for (const watcher of watchers) watcher.abort()
      poller.stop()
      await (await listener)?.close()
    },
  }
}
