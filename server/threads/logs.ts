import type { Queryable } from '@/db/client'
import { readLogPage } from '@/db/queries/threads/read-log-page'
import { readMarks } from '@/db/queries/threads/read-marks'
import { threadNotFound } from './not-found'
import { isFinished, LOG_LEVELS, type LogLevel } from './status'
import type { LogLine } from './views'

export type LogQuery = {
  id: string
  /** `cursor` of the page before. */
  after?: number | undefined
  /** Lines of this level and of graver ones. */
  level?: LogLevel | undefined
  limit: number
}

/**
 * What a thread's workflow logged, the oldest first. `cursor` is null on an empty page; `finished`: the thread has ended, and no line
 * follows. Throws NOT_FOUND.
 */
export async function readThreadLogs(
  db: Queryable,
  { id, after = 0, level = 'debug', limit }: LogQuery,
): Promise<{ items: LogLine[]; cursor: number | null; finished: boolean }> {
  // The status first: lines that come after a thread ended there are none, but between the two looks there may be.
  const [mark] = await readMarks(db, [id])
  if (mark === undefined) throw threadNotFound(id)
  const levels = LOG_LEVELS.slice(LOG_LEVELS.indexOf(level))
  const rows = await readLogPage(db, { thread: id, after, levels, limit: limit + 1 })
  const items = rows.slice(0, limit).map(
    ({ seq, at, level: said, tag, text, height }): LogLine => ({
      seq,
      at: at.toISOString(),
      level: said,
      tag,
      text,
      height,
    }),
  )
  return { items, cursor: items.at(-1)?.seq ?? null, finished: isFinished(mark.status) && rows.length <= limit }
}
