import type { ThreadRecord } from '@/server/threads/records'
import { ellipsis, type Paint, printable, printableLine } from './terminal'
import { count, formatDuration, localTime } from './units'

export const MAX_CONTENT_LINES = 10
const LINE_WIDTH = 200
const INDENT = '          '

export type RecordView = {
  paint: Paint
  /** Only steps of this role. */
  role?: string | undefined
  /** Also the log. */
  debug?: boolean | undefined
}

/** Lifecycle events that a step or the end says already. */
const QUIET_EVENTS = new Set(['queued', 'claimed', 'finished'])

/** A record as lines for a terminal; none when the view leaves it out. */
export function recordLines(record: ThreadRecord, view: RecordView): string[] {
  const { paint } = view
  const time = paint('dim', localTime(record.at))
  switch (record.kind) {
    case 'start':
      return [`${time}  ${paint('bold', record.workflow)} ${paint('dim', `${record.bundle} started`)}`]
    case 'step':
      return view.role && view.role !== record.role ? [] : stepLines(record, time, paint)
    case 'status': {
      if (QUIET_EVENTS.has(record.type) && !view.debug) return []
      const reason = record.reason ? `: ${ellipsis(printableLine(record.reason), LINE_WIDTH)}` : ''
      return [`${time}  ${paint('yellow', record.type.replaceAll('_', ' '))}${reason}`]
    }
    case 'log': {
      if (!view.debug) return []
      const tag = record.tag ? ` [${printableLine(record.tag)}]` : ''
      return [paint('dim', `${localTime(record.at)}  ${record.level}${tag} ${printable(record.text).trimEnd()}`)]
    }
    case 'end': {
      const good = record.status === 'completed'
      const head = paint(good ? 'green' : 'red', record.status)
      const facts = `${count(record.steps, 'step')} in ${formatDuration(record.durationMs)}, exit code ${record.returnCode}`
      const summary = printableLine(record.summary)
      return [`${time}  ${head}: ${facts}${summary ? `. ${summary}` : ''}`]
    }
  }
}

function stepLines(record: ThreadRecord & { kind: 'step' }, time: string, paint: Paint): string[] {
  const facts = paint('dim', `step ${record.step}, ${formatDuration(record.durationMs)}`)
  const lines = printable(record.content).trimEnd().split('\n')
  const shown = lines.slice(0, MAX_CONTENT_LINES).map((line) => `${INDENT}${ellipsis(line.trimEnd(), LINE_WIDTH)}`)
  const hidden = lines.length - shown.length
  if (hidden > 0 || record.contentTruncated) {
    const more = record.contentTruncated ? 'more' : count(hidden, 'more line', 'more lines')
    shown.push(`${INDENT}${paint('dim', `… ${more}: cairn cas get ${record.contentHash}`)}`)
  }
  const meta = Object.keys(record.meta).length
    ? [`${INDENT}${paint('dim', ellipsis(printableLine(JSON.stringify(record.meta)), LINE_WIDTH))}`]
    : []
  return [`${time}  ${paint('cyan', record.role)}  ${facts}`, ...shown.map((line) => line.trimEnd()), ...meta]
}
