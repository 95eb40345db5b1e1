import { AppError } from '@/server/kernel/errors'

export function threadNotFound(id: string): AppError<'NOT_FOUND'> {
  return new AppError('NOT_FOUND', `There is no thread ${id}. Look for it in the list of threads.`, {
    what: 'thread',
    id,
  })
}
