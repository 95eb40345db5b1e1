import { expect, test } from 'vitest'
import { AppError } from '@/server/kernel/errors'
import { toCliError } from './cli-error'
import { EXIT_CODES } from './exit-codes'

test('a database that cannot be reached is not called a server that cannot be reached', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5599'), { code: 'ECONNREFUSED' })
  const message = 'The database cannot be reached. Check that it runs, then try again.'
  const error = new AppError('UNAVAILABLE', message, { dependency: 'database' }, { cause: refused })
  expect(toCliError(error)).toMatchObject({ exitCode: EXIT_CODES.unreachable, message, reason: 'UNAVAILABLE' })
  expect(toCliError(refused, 'http://127.0.0.1:4400')).toMatchObject({
    exitCode: EXIT_CODES.unreachable,
    message: expect.stringContaining('The Cairn server at http://127.0.0.1:4400 cannot be reached'),
  })
})

test('a failure inside the server says under which id its log has it', () => {
  const data = { code: 'INTERNAL_SERVER_ERROR', reason: 'INTERNAL', requestId: '973fab2a' }
  const error = Object.assign(new Error('Something went wrong.'), { name: 'TRPCClientError', data })
  expect(toCliError(error).message).toBe('Something went wrong. (973fab2a)')
})
