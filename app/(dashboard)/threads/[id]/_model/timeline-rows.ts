import type { ThreadRecord } from '@/server/threads/records'

type Shown = Exclude<ThreadRecord, { kind: 'log' }>

/** A line of the timeline: `from` and `to` are shares of the whole time, 0 to 1; equal for what has no length. */
export type TimelineRow = { record: Shown; key: string; from: number; to: number; afterMs: number }

/** Places records on the time from the first to the last of them. */
export function timelineRows(records: readonly Shown[]): TimelineRow[] {
  const first = records[0]
  const last = records.at(-1)
  if (first === undefined || last === undefined) return []
  const began = Date.parse(first.at)
  const whole = Math.max(1, Date.parse(last.at) - began)
  return records.map((record) => {
    const afterMs = Date.parse(record.at) - began
    const length = record.kind === 'step' ? record.durationMs : 0
    const share = (ms: number) => Math.min(1, Math.max(0, ms / whole))
    return { record, key: record.cursor, from: share(afterMs - length), to: share(afterMs), afterMs }
  })
}
