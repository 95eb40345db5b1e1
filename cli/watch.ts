import { setTimeout as delay } from 'node:timers/promises'
import { type ThreadRecord, threadRecordSchema } from '@/server/threads/records'
import { networkFailure } from './cli-error'
import type { Client } from './client'

const FIRST_RETRY_MS = 250
const LONGEST_RETRY_MS = 5000

export type WatchOptions = {
  /** Begin after this cursor; default: with the thread's first record. */
  after?: string | undefined
  signal?: AbortSignal | undefined
  /** Told once for each time the connection is lost for good and is opened again. */
  onReconnect?: ((error: unknown) => void) | undefined
}

/**
 * Every record of a thread from `after` to its `end`, each once and in order, over any number of lost connections: a
 * restart of the server ends a subscription, and it is opened again after the last cursor seen. Ends by throwing when
 * the server refuses (no such thread, key missing).
 */
export async function* watchThread(
  client: Client,
  id: string,
  options: WatchOptions = {},
): AsyncGenerator<ThreadRecord> {
  let after = options.after
  let retryMs = FIRST_RETRY_MS
  while (!options.signal?.aborted) {
    try {
      for await (const record of subscribe(client, id, after, options.signal)) {
        after = record.cursor
        retryMs = FIRST_RETRY_MS
        yield record
        if (record.kind === 'end') return
      }
    } catch (error) {
      if (!isTransient(error)) throw error
      options.onReconnect?.(error)
    }
    await delay(retryMs, undefined, options.signal ? { signal: options.signal } : {}).catch(() => undefined)
    retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS)
  }
}

/** A lost connection, or a server that is starting or stopping; not a refusal. */
function isTransient(error: unknown): boolean {
  if (networkFailure(error)) return true
  if (!(error instanceof Error)) return false
  const data: unknown = 'data' in error ? error.data : undefined
  if (data && typeof data === 'object' && 'code' in data) return data.code === 'SERVICE_UNAVAILABLE'
  // An EventSource that closed by itself hands over its event: with the HTTP status, or without one when the socket broke.
  const status = error.cause && typeof error.cause === 'object' && 'code' in error.cause ? error.cause.code : undefined
  return status === undefined || (typeof status === 'number' && status >= 500)
}

/** One subscription as an iterator. Leaving the loop ends it. */
async function* subscribe(
  client: Client,
  id: string,
  lastEventId: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<ThreadRecord> {
  const arrived: ThreadRecord[] = []
  let over = false
  let failure: { error: unknown } | null = null
  let wake = () => {}
  const finish = () => {
    over = true
    wake()
  }
  const subscription = client.thread.watch.subscribe(
    { id, ...(lastEventId ? { lastEventId } : {}) },
    {
      onData: ({ data }) => {
        arrived.push(threadRecordSchema.parse(data))
        wake()
      },
      onError: (error) => {
        failure = { error }
        finish()
      },
      onComplete: finish,
    },
  )
  signal?.addEventListener('abort', finish, { once: true })
  try {
    while (true) {
      const record = arrived.shift()
      if (record) yield record
      else if (over) break
      else await new Promise<void>((resolve) => (wake = resolve))
    }
    const ended = failure as { error: unknown } | null
    if (ended) throw ended.error
  } finally {
    signal?.removeEventListener('abort', finish)
    subscription.unsubscribe()
  }
}
