import { AppError } from '@/server/kernel/errors'

export function workflowNotFound(name: string): AppError<'NOT_FOUND'> {
  return new AppError('NOT_FOUND', `There is no workflow ${name}: list the workflows, or add it.`, {
    what: 'workflow',
    id: name,
  })
}

export function versionNotFound(name: string, hash: string): AppError<'NOT_FOUND'> {
  return new AppError('NOT_FOUND', `${hash} was never a version of ${name}: see its history for those it had.`, {
    what: 'version',
    id: hash,
  })
}
