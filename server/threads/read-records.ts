import type { Queryable } from '@/db/client'
import { readEvents, readLogs } from '@/db/queries/threads/read-events'
import { readMarks, type ThreadMark } from '@/db/queries/threads/read-marks'
import { readNodes } from '@/db/queries/threads/read-nodes'
import { readStart } from '@/db/queries/threads/read-start'
import { corrupt } from '@/server/cas/node-schema'
import { AppError } from '@/server/kernel/errors'
import { END } from '@/server/kernel/ids'
import { mergeRecords } from './merge-records'
import { threadNotFound } from './not-found'
import { BEGINNING, formatCursor, type Position, parseCursor } from './position'
import { endRecord, logRecord, startRecord, statusRecord, stepRecord } from './record-views'
import { MAX_RECORD_CONTENT, type ThreadRecord } from './records'
import { isFinished } from './status'
import { isStep, stepsUpTo } from './step-numbers'

export type RecordPage = {
  items: ThreadRecord[]
  /** Where the next page begins. */
  cursor: string
  /** The thread has ended and nothing follows `cursor`. */
  finished: boolean
}

/**
 * What follows `after` (null: from the beginning) in a thread, `limit` records at most. Any split into pages gives the same
 * sequence. Costs O(log n + limit) in a thread of n steps. Throws NOT_FOUND, and BAD_INPUT for a cursor that lies beyond
 * the thread.
 */
export async function readRecords(db: Queryable, id: string, after: string | null, limit: number): Promise<RecordPage> {
  const [mark] = await readMarks(db, [id])
  if (mark === undefined) throw threadNotFound(id)
  return readRecordsTo(db, mark, after, limit)
}

/** The same for a caller that knows how far the thread is. */
export async function readRecordsTo(
  db: Queryable,
  mark: ThreadMark,
  after: string | null,
  limit: number,
): Promise<RecordPage> {
  const from = after === null ? BEGINNING : parseCursor(after)
  if (from.height > mark.height || from.event > mark.eventSeq || from.log > mark.logSeq) {
    throw new AppError('BAD_INPUT', `The cursor ${after} lies beyond thread ${mark.id}. Read it from the beginning.`, {
      field: 'after',
    })
  }
  const first = after === null ? [await readStartRecord(db, mark)] : []
  const rest = await readSequences(db, mark, from, limit - first.length)
  const position = rest.position
  return {
    items: [...first, ...rest.items],
    cursor: formatCursor(position),
    finished:
      isFinished(mark.status) &&
      position.height === mark.height &&
      position.event === mark.eventSeq &&
      position.log === mark.logSeq,
  }
}

async function readStartRecord(db: Queryable, mark: ThreadMark): Promise<ThreadRecord> {
  const row = await readStart(db, mark.start)
  if (row === null) throw corrupt(mark.start, 'the start node of a thread is missing')
  return startRecord(mark, row, formatCursor(BEGINNING))
}

async function readSequences(
  db: Queryable,
  mark: ThreadMark,
  from: Position,
  limit: number,
): Promise<{ items: ThreadRecord[]; position: Position }> {
  const thread = mark.id
  const [nodes, events, logs] = await Promise.all([
    readNodesAfter(db, mark, from.height, limit),
    from.event < mark.eventSeq ? readEvents(db, { thread, after: from.event, upTo: mark.eventSeq, limit }) : [],
    from.log < mark.logSeq ? readLogs(db, { thread, after: from.log, upTo: mark.logSeq, limit }) : [],
  ])
  const placed = {
    nodes,
    events: events.map((row) => ({ row, height: row.height, at: row.micros })),
    logs: logs.map((row) => ({ row, height: row.height, at: row.micros })),
  }
  const merged = mergeRecords(placed, from, limit)
  const items = merged.flatMap((entry): ThreadRecord[] => {
    const cursor = formatCursor(entry.position)
    if (entry.kind === 'event') return [statusRecord(entry.value.row, cursor)]
    if (entry.kind === 'log') return [logRecord(entry.value.row, cursor)]
    const { row, isEnd, step, before } = entry.value
    if (isEnd) return [endRecord(mark, row, cursor)]
    return step === null ? [] : [stepRecord(row, step, before, cursor)]
  })
  return { items, position: merged.at(-1)?.position ?? from }
}

/** The nodes with what their records need: the number of a step (null: not a step) and the time of the node before. */
async function readNodesAfter(db: Queryable, mark: ThreadMark, after: number, limit: number) {
  if (after >= mark.height || limit === 0) return []
  const range = { head: mark.head, headHeight: mark.height, after, limit, contentLimit: MAX_RECORD_CONTENT }
  const [rows, stepsBefore] = await Promise.all([readNodes(db, range), stepsUpTo(db, mark, after)])
  // The first steps of a fork are older than the fork.
  const first = rows[0]
  let before = first?.height === after ? first.timestamp : Math.min(mark.createdAt.getTime(), first?.timestamp ?? 0)
  let step = stepsBefore
  const nodes = rows.filter((row) => row.height > after)
  return nodes.map((row) => {
    const counts = isStep(row.role)
    if (counts) step++
    const entry = {
      row,
      height: row.height,
      isEnd: row.role === END && row.height === mark.height && isFinished(mark.status),
      step: counts ? step : null,
      before,
    }
    before = row.timestamp
    return entry
  })
}
