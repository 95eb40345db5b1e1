import type { Database } from '@/db/client'
import { retrySafe } from '@/db/errors'
import { appendLogs, type LogRow } from '@/db/queries/threads/append-logs'
import { plainText } from '@/db/queries/threads/append-steps'
import { log } from '@/server/kernel/log'
import type { Lease } from './lease'

export type LogLevel = LogRow['level']

const FLUSH_MS = 200
const MAX_ROWS = 500
const MAX_LINE_CHARACTERS = 32 * 1024

/** Gathers log lines of all threads of a runner and stores them a few times a second. */
export class LogWriter {
  private rows: LogRow[] = []
  private timer: NodeJS.Timeout | undefined
  private writing: Promise<void> = Promise.resolve()

  constructor(private readonly db: Database) {}

  add(lease: Lease, level: LogLevel, tag: string | null, text: string): void {
    const cut =
      text.length > MAX_LINE_CHARACTERS
        ? `${text.slice(0, MAX_LINE_CHARACTERS)}… (line cut at ${MAX_LINE_CHARACTERS} characters)`
        : text
    this.rows.push({ thread: lease.thread, token: lease.token, level, tag: plainText(tag ?? ''), text: plainText(cut) })
    if (this.rows.length >= MAX_ROWS) void this.flush()
    else this.timer ??= setTimeout(() => void this.flush(), FLUSH_MS)
  }

  /** Resolves when all that was added before is stored. A line that cannot be stored is told to the process's own log. */
  flush(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    const rows = this.rows
    if (rows.length > 0) {
      this.rows = []
      this.writing = this.writing
        .then(() => retrySafe(() => appendLogs(this.db, rows)))
        .catch((error: unknown) => log.error({ err: error, lines: rows.length }, 'thread log lines were not stored'))
    }
    return this.writing
  }
}
