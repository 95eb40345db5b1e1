import type { Queryable } from '../../client'
import { mapped } from '../../errors'

/** A node of type content, waiting to be stored for a thread that its runner holds. */
export type ContentRow = {
  thread: string
  token: number
  hash: string
  refs: readonly string[]
  digest: string
  body: string
}

/** A state node, and the move of its thread's head from `expected` to it. Digests are hex. */
export type StepRow = {
  thread: string
  token: number
  expected: string
  hash: string
  /** False for markers and the end node, which are no steps. */
  counted: boolean
  body: string
  refs: readonly string[]
  digest: string
  role: string
  start: string
  content: string
  parent: string | null
  height: number
  timestamp: number
  childThread: string | null
  /** Given on the end node only. */
  end?: { status: 'completed' | 'failed' | 'killed'; returnCode: number; summary: string }
}

export type Appended = { thread: string; control: 'pause' | 'kill' | null; nowMs: number }

/** Parts fields. Canonical bodies never hold it: a control character is an escape there. */
const FIELD = '\x1f'

/**
 * Appends at most one node to each thread, with contents, heads, counts and end events, in one statement and one commit
 * (`append_steps` in the migrations). A thread that is missing from the answer is no longer held under that token: nothing
 * was written for it. Safe to call again with the same rows after a lost connection. Throws HASH_COLLISION or MISSING_REF
 * for the whole batch.
 */
export async function appendSteps(
  { sql }: Queryable,
  { steps, contents, runner, notify }: { steps: StepRow[]; contents: ContentRow[]; runner: string; notify: boolean },
): Promise<Appended[]> {
  // Lock order: threads by id, then contents by hash.
  const rows = await mapped(
    sql<{ thread: string; control: 'pause' | 'kill' | null; now_ms: number }[]>`
      select thread, control, now_ms from append_steps(${packSteps(steps)}, ${packContents(contents)}, ${runner}, ${notify}::boolean)`,
  )
  return rows.map((row) => ({ thread: row.thread, control: row.control, nowMs: row.now_ms }))
}

/** Tells web processes that something changed; for when `appendSteps` was last called without. */
export async function notifyChange({ sql }: Queryable): Promise<void> {
  await mapped(sql`select pg_notify('cairn_change', '')`)
}

/** Stores contents of threads that a runner holds, without a step. */
export async function putContents({ sql }: Queryable, contents: ContentRow[]): Promise<void> {
  await mapped(sql`select put_contents(string_to_array(${packContents(contents)}, ${FIELD}), '{}')`)
}

function packSteps(steps: StepRow[]): string {
  const sorted = steps.length < 2 ? steps : [...steps].sort((a, b) => (a.thread < b.thread ? -1 : 1))
  return sorted.map(packStep).join(FIELD)
}

function packStep(step: StepRow): string {
  return [
    step.thread,
    step.token,
    step.expected,
    step.hash,
    step.counted ? 1 : 0,
    step.body,
    arrayLiteral(step.refs),
    step.digest,
    step.role,
    step.start,
    step.content,
    step.parent ?? '',
    step.height,
    step.timestamp,
    step.childThread ?? '',
    step.end?.status ?? '',
    step.end?.returnCode ?? '',
    step.end === undefined ? '' : plainText(step.end.summary),
  ].join(FIELD)
}

function packContents(contents: ContentRow[]): string {
  const sorted = contents.length < 2 ? contents : [...contents].sort((a, b) => (a.hash < b.hash ? -1 : 1))
  return sorted.map((c) => [c.thread, c.token, c.hash, arrayLiteral(c.refs), c.digest, c.body].join(FIELD)).join(FIELD)
}

/** Refs are hashes: nothing in them needs quoting. */
function arrayLiteral(refs: readonly string[]): string {
  return `{${refs.join(',')}}`
}

/** Control characters but tab and newline, and lone surrogates: what a text column or a packed field cannot hold. */
const UNPRINTABLE = /[^\P{C}\t\n\p{Cf}\p{Cn}\p{Co}]/gu

/** A column for lists and events: the exact text is in the node. What it cannot hold becomes U+FFFD. */
export function plainText(text: string): string {
  return text.replace(UNPRINTABLE, '\ufffd')
}
