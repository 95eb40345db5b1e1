import type { Queryable } from '@/db/client'
import { readMarks } from '@/db/queries/threads/read-marks'
import { AppError } from '@/server/kernel/errors'

export function threadNotFound(id: string): AppError<'NOT_FOUND'> {
  return new AppError('NOT_FOUND', `There is no thread ${id}. Look for it in the list of threads.`, {
    what: 'thread',
    id,
  })
}

/** Throws NOT_FOUND when there is no such thread. */
export async function demandThread(db: Queryable, id: string): Promise<void> {
  if ((await readMarks(db, [id])).length === 0) throw threadNotFound(id)
}
