import type { Queryable } from '@/db/client'
import { mapped } from '@/db/errors'

export type GivenInput = {
  thread: string
  /** The open wait of this name that the caller found and checked it against; null: it found none. */
  openWait: string | null
  name: string
  /** JSON text. */
  value: string
  subject: string | null
  actor: string
  actorRole: string
  /** Inputs that may be kept for later. */
  most: number
}

export type InputGiven = {
  /** `moved`: the thread has another open wait of this name by now, or none, or has ended; `full`: too many are kept. */
  outcome: 'answered' | 'stored' | 'moved' | 'full'
  status: string
}

/** Answers a wait, or keeps the input for one to come (`give_input` in the migrations). */
export async function giveInputRow({ sql }: Queryable, input: GivenInput): Promise<InputGiven> {
  const rows = await mapped(sql<InputGiven[]>`
    select * from give_input(${input.thread}, ${input.openWait}, ${input.name}, ${input.value}::text::json, ${input.subject},
      ${input.actor}, ${input.actorRole}, ${input.most}::int)`)
  const [row] = rows
  if (row === undefined) throw new Error('give_input returns one row')
  return row
}
