import type { Queryable } from '@/db/client'
import { type InputEntry, readInputs, readWaits, type WaitEntry } from '@/db/queries/threads/read-waits'
import { isJson } from '@/server/kernel/json'
import { demandThread } from './not-found'
import type { InputView, WaitView } from './views'

/** Waits and inputs of one thread that are shown, at most: the newest. */
const MOST_SHOWN = 500

/** What a thread waits for and waited for, newest first. Throws NOT_FOUND. */
export async function listWaits(db: Queryable, id: string): Promise<{ items: WaitView[] }> {
  await demandThread(db, id)
  return { items: (await readWaits(db, id, MOST_SHOWN)).map(waitView) }
}

/** What was given to a thread, newest first, with what became of it. Throws NOT_FOUND. */
export async function listInputs(db: Queryable, id: string): Promise<{ items: InputView[] }> {
  await demandThread(db, id)
  return { items: (await readInputs(db, id, MOST_SHOWN)).map(inputView) }
}

export function waitView(row: WaitEntry): WaitView {
  return {
    key: row.key,
    kind: row.kind,
    status: row.status,
    name: row.name,
    prompt: row.prompt,
    schema: jsonOf(row.schema),
    subject: row.subject,
    answerers: jsonOf(row.answerers),
    wakeAt: row.wakeAt?.toISOString() ?? null,
    targets: row.targets,
    mode: row.mode,
    answer: jsonOf(row.answer),
    answeredBy: row.answeredBy,
    answeredAt: row.answeredAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
  }
}

function inputView(row: InputEntry): InputView {
  return {
    seq: row.seq,
    name: row.name,
    value: jsonOf(row.value),
    subject: row.subject,
    actor: row.actor,
    wait: row.wait,
    rejected: row.rejected,
    at: row.at.toISOString(),
  }
}

/** A JSON column holds JSON. */
function jsonOf(value: unknown) {
  return isJson(value) ? value : null
}
