import { AppError } from '@/server/kernel/errors'

export function objectNotFound(hash: string): AppError<'NOT_FOUND'> {
  return new AppError(
    'NOT_FOUND',
    `There is no object ${hash}. Check the hash; garbage collection may have removed it.`,
    {
      what: 'object',
      id: hash,
    },
  )
}
