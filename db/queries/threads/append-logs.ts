import type { Queryable } from '../../client'
import { mapped } from '../../errors'

export type LogRow = {
  thread: string
  token: number
  level: 'debug' | 'info' | 'warn' | 'error'
  tag: string
  text: string
}

/** Stores log lines in the order given; those of a thread that its runner no longer holds are dropped. */
export async function appendLogs({ sql }: Queryable, rows: LogRow[]): Promise<void> {
  await mapped(
    sql`select append_logs(${rows.map((r) => r.thread)}::text[], ${rows.map((r) => r.token)}::bigint[],
      ${rows.map((r) => r.level)}::text[], ${rows.map((r) => r.tag)}::text[], ${rows.map((r) => r.text)}::text[])`,
  )
}
