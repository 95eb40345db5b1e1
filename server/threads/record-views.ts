import { z } from 'zod'
import type { EventRow, LogRow } from '@/db/queries/threads/read-events'
import type { ThreadMark } from '@/db/queries/threads/read-marks'
import type { NodeRow } from '@/db/queries/threads/read-nodes'
import type { StartRow } from '@/db/queries/threads/read-start'
import { corrupt } from '@/server/cas/node-schema'
import { contentStart } from './content-start'
import type { ThreadRecord } from './records'
import { isFinished, statusOf } from './status'
import { contentText, startPayload, stateMeta } from './stored-nodes'

/** How the API shows what the tables hold. `cursor` is the position after the record. */

const endMetaSchema = z.object({ returnCode: z.number(), summary: z.string() })

export function startRecord(mark: ThreadMark, row: StartRow, cursor: string): ThreadRecord {
  const { name, hash, input } = startPayload(row.body, mark.start)
  return {
    kind: 'start',
    cursor,
    at: mark.createdAt.toISOString(),
    hash: mark.start,
    workflow: name,
    bundle: hash,
    prompt: contentText(row.promptBody, mark.start),
    input,
    depth: row.depth,
    parentState: row.parentState,
  }
}

/** `step` is its number; `before` the time of the node before it, in ms. */
export function stepRecord(row: NodeRow, step: number, before: number, cursor: string): ThreadRecord {
  const content = contentStart(row.contentStart, row.contentIsWhole)
  return {
    kind: 'step',
    cursor,
    at: new Date(row.timestamp).toISOString(),
    hash: row.hash,
    step,
    height: row.height,
    role: row.role,
    contentHash: row.contentHash,
    content: content.text,
    contentTruncated: content.truncated,
    meta: stateMeta(row.body, row.hash),
    refs: row.contentRefs ?? [],
    childThread: row.childThread,
    durationMs: row.timestamp - before,
  }
}

export function endRecord(mark: ThreadMark, row: NodeRow, cursor: string): ThreadRecord {
  const meta = endMetaSchema.safeParse(stateMeta(row.body, row.hash))
  if (!meta.success) throw corrupt(row.hash, 'an end node needs returnCode and summary in its meta', meta.error)
  return {
    kind: 'end',
    cursor,
    at: new Date(row.timestamp).toISOString(),
    hash: row.hash,
    status: isFinished(mark.status) ? mark.status : statusOf(meta.data.returnCode),
    returnCode: meta.data.returnCode,
    summary: meta.data.summary,
    steps: mark.steps,
    durationMs: row.timestamp - mark.createdAt.getTime(),
  }
}

export function statusRecord(row: EventRow, cursor: string): ThreadRecord {
  return {
    kind: 'status',
    cursor,
    at: row.at.toISOString(),
    seq: row.seq,
    type: row.type,
    status: row.status,
    actor: row.actor,
    reason: row.reason,
  }
}

export function logRecord(row: LogRow, cursor: string): ThreadRecord {
  return {
    kind: 'log',
    cursor,
    at: row.at.toISOString(),
    seq: row.seq,
    level: row.level,
    tag: row.tag,
    text: row.text,
  }
}
