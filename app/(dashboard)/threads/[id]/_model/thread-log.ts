import type { StepRecord, ThreadRecord } from '@/server/threads/records'
import { isFinished, type ThreadStatus } from '@/server/threads/status'

type Of<K extends ThreadRecord['kind']> = Extract<ThreadRecord, { kind: K }>

/** Everything that a page has read of a thread, sorted into what its parts show. Immutable. */
export type ThreadLog = {
  /** Cursor of the newest record: where reading goes on. */
  cursor: string | null
  start: Of<'start'> | null
  steps: readonly StepRecord[]
  /** All but log lines, in order. */
  timeline: readonly Exclude<ThreadRecord, Of<'log'>>[]
  logs: readonly Of<'log'>[]
  end: Of<'end'> | null
  /** Null until a record tells it. */
  status: ThreadStatus | null
}

export const EMPTY_LOG: ThreadLog = {
  cursor: null,
  start: null,
  steps: [],
  timeline: [],
  logs: [],
  end: null,
  status: null,
}

/** Adds records in the order they came. A record at or before the cursor was read already and is left out. */
export function addRecords(log: ThreadLog, records: readonly ThreadRecord[]): ThreadLog {
  const fresh: ThreadRecord[] = []
  let cursor = log.cursor
  for (const record of records) {
    if (!isAfter(record.cursor, cursor)) continue
    fresh.push(record)
    cursor = record.cursor
  }
  if (fresh.length === 0) return log
  const { end, status } = ending(fresh, log)
  return {
    cursor,
    start: lastOf(fresh, 'start') ?? log.start,
    steps: added(log.steps, ofKind(fresh, 'step')),
    timeline: added(
      log.timeline,
      fresh.filter((record) => record.kind !== 'log'),
    ),
    logs: added(log.logs, ofKind(fresh, 'log')),
    end,
    status,
  }
}

/** An end that a retry went on after is the end no more: a later status says that the thread is not finished. */
function ending(fresh: readonly ThreadRecord[], { end, status }: ThreadLog): Pick<ThreadLog, 'end' | 'status'> {
  for (const record of fresh) {
    if (record.kind === 'end') [end, status] = [record, record.status]
    else if (record.kind === 'status') {
      status = record.status
      if (!isFinished(status)) end = null
    }
  }
  return { end, status }
}

/** Height up to which nodes were read. */
export function heightOf(log: ThreadLog): number {
  return Number(log.cursor?.split('.')[0] ?? 0)
}

export function isOver(log: ThreadLog): boolean {
  return log.end !== null && isFinished(log.end.status)
}

/** Cursors are three growing numbers; one is after another when any of the three is greater. */
function isAfter(cursor: string, than: string | null): boolean {
  if (than === null) return true
  const bounds = than.split('.').map(Number)
  return cursor.split('.').some((part, index) => Number(part) > (bounds[index] ?? 0))
}

function added<T>(list: readonly T[], more: readonly T[]): readonly T[] {
  return more.length === 0 ? list : [...list, ...more]
}

function ofKind<K extends ThreadRecord['kind']>(records: readonly ThreadRecord[], kind: K): Of<K>[] {
  return records.filter((record): record is Of<K> => record.kind === kind)
}

function lastOf<K extends ThreadRecord['kind']>(records: readonly ThreadRecord[], kind: K): Of<K> | undefined {
  return ofKind(records, kind).at(-1)
}
