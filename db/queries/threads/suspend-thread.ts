import type { Queryable } from '../../client'
import { mapped } from '../../errors'

export type WaitRow = {
  thread: string
  token: number
  /** `<head>.<n>`. */
  key: string
  kind: 'input' | 'until' | 'threads'
  name: string
  prompt: string | null
  schema: object | null
  subject: string | null
  answerers: { role?: string | undefined; names?: string[] | undefined } | null
  untilMs: number | null
  timeoutMs: number | null
  targets: string[]
  mode: 'all' | 'any' | 'success'
  /** The newest kept input that the caller has looked at. */
  seen: number
  /** The kept input that the caller found to fit. */
  chosen: number | null
}

export type Suspended = {
  outcome: 'answered' | 'suspended' | 'inputs' | 'kill' | 'cycle' | 'lost'
  wait_status: 'answered' | 'timed_out' | null
  /** JSON, as `resolve_wait` and whoever answered wrote it. */
  answer: unknown
  answered_by: string | null
  /** When the wait times out, or is over, by the database's clock. */
  wake_ms: number | null
}

/**
 * A role waits (`suspend_thread` in the migrations): gives the answer when there is one, and else takes the thread from its
 * runner until there is. Called again after a lost connection it says `lost` when the first call suspended the thread.
 */
export async function suspendThread({ sql }: Queryable, runner: string, wait: WaitRow): Promise<Suspended> {
  const rows = await mapped(sql<Suspended[]>`
    select * from suspend_thread(${runner}, ${wait.thread}, ${wait.token}::bigint, ${wait.key}, ${wait.kind}, ${wait.name},
      ${wait.prompt}, ${jsonText(wait.schema)}::text::json, ${wait.subject}, ${jsonText(wait.answerers)}::text::jsonb,
      ${wait.untilMs}::bigint, ${wait.timeoutMs}::bigint, ${wait.targets}::text[], ${wait.mode}, ${wait.seen}::int, ${wait.chosen}::int)`)
  const [row] = rows
  if (row === undefined) throw new Error('suspend_thread returns one row')
  return row
}

export type KeptInput = {
  seq: number
  name: string
  value: unknown
  subject: string | null
  actor: string
  actor_role: string
}

/** Inputs that came before the thread waited for them, oldest first. */
export async function keptInputs({ sql }: Queryable, thread: string): Promise<KeptInput[]> {
  return mapped(sql<KeptInput[]>`
    select seq, name, value, subject, actor, actor_role from thread_inputs
    where thread = ${thread} and wait is null and rejected is null order by seq`)
}

/** A kept input does not fit the wait that it was kept for: it is kept no longer, and the thread's history says why. */
export async function rejectInput(
  { sql }: Queryable,
  { thread, token, seq, why }: { thread: string; token: number; seq: number; why: string },
): Promise<void> {
  await mapped(sql`select reject_input(${thread}, ${token}::bigint, ${seq}::int, ${why})`)
}

function jsonText(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value)
}
