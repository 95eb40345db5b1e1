import type { ThreadRecord } from '@/server/threads/records'
import type { Client } from './client'
import type { Io } from './io'
import { recordLines } from './output/record-lines'
import { watchThread } from './watch'

export type EndRecord = ThreadRecord & { kind: 'end' }

/**
 * Follows a thread to its end and tells `onRecord` of each record. Null when Ctrl-C came first: the thread itself goes on.
 */
export async function followThread(
  client: Client,
  id: string,
  io: Io,
  onRecord: (record: ThreadRecord) => void,
): Promise<EndRecord | null> {
  const interrupt = new AbortController()
  const onSignal = () => interrupt.abort()
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal)
  try {
    const onReconnect = () => io.note(io.notePaint('dim', 'Connection lost; connecting again.\n'))
    for await (const record of watchThread(client, id, { signal: interrupt.signal, onReconnect })) {
      onRecord(record)
      if (record.kind === 'end') return record
    }
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
  }
  io.note(`Stopped following ${id}, which goes on. Follow it again with: cairn thread live ${id}\n`)
  return null
}

/** Prints each record as it comes: as lines, or with --json as one JSON value a line. */
export function recordPrinter(io: Io, role?: string): (record: ThreadRecord) => void {
  return (record) => {
    if (!io.json) {
      const lines = recordLines(record, { paint: io.paint, role, debug: io.debug })
      if (lines.length) io.out(`${lines.join('\n')}\n`)
      return
    }
    const isLeftOut = (record.kind === 'log' && !io.debug) || (record.kind === 'step' && role && record.role !== role)
    if (!isLeftOut) io.out(`${JSON.stringify(record)}\n`)
  }
}
