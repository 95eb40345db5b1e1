import type { Queryable } from '../../client'
import { mapped } from '../../errors'

/** Whether a worker was lost under this thread since its last step. A lease that ran out is not that: it blames a runner. */
export async function workerCrashed({ sql }: Queryable, thread: string, height: number): Promise<boolean> {
  const rows = await mapped(
    sql`select 1 from thread_events where thread = ${thread} and height = ${height} and type = 'crashed' limit 1`,
  )
  return rows.length > 0
}
