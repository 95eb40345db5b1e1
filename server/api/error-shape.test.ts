import { TRPCError } from '@trpc/server'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { AppError } from '@/server/kernel/errors'
import { errorShape } from './error-shape'

it('an error of the platform keeps its code as the reason, its sentence and its data', () => {
  const error = new AppError('CONFLICT', 'It is finished. Fork it instead.', { current: 'completed' })
  expect(errorShape(new TRPCError({ code: 'INTERNAL_SERVER_ERROR', cause: error }), 'thread.start', 'r1')).toEqual({
    code: -32009,
    message: 'It is finished. Fork it instead.',
    data: {
      code: 'CONFLICT',
      httpStatus: 409,
      path: 'thread.start',
      reason: 'CONFLICT',
      details: { current: 'completed' },
      fields: [],
      requestId: 'r1',
    },
  })
})

it('wrong input names each field and what it must be', () => {
  const parsed = z
    .object({ tags: z.array(z.string()), limit: z.number().max(200) })
    .safeParse({ tags: ['a', 1], limit: 201 })
  const shape = errorShape(new TRPCError({ code: 'BAD_REQUEST', cause: parsed.error }), 'thread.list', 'r1')
  expect(shape.data).toMatchObject({ reason: 'BAD_INPUT', httpStatus: 400 })
  expect(shape.data.fields.map((field) => field.path)).toEqual(['tags.1', 'limit'])
  expect(shape.message).toContain('limit: ')
})

it.each([
  ['an error that nobody foresaw', new Error('password of db-7.internal is hunter2')],
  ['INTERNAL', new AppError('INTERNAL', 'relation "x" on db-7.internal, password hunter2', {})],
  [
    'UNAVAILABLE',
    new AppError('UNAVAILABLE', 'connect ECONNREFUSED db-7.internal, password hunter2', { dependency: 'database' }),
  ],
  ['TIMEOUT', new AppError('TIMEOUT', 'statement on db-7.internal, password hunter2', { afterMs: 1 })],
])('of %s the caller gets the request id and no text of the server', (_, cause) => {
  const shape = errorShape(new TRPCError({ code: 'INTERNAL_SERVER_ERROR', message: cause.message, cause }), 'a.b', 'r1')
  const sent = JSON.stringify(shape)
  expect(sent).not.toMatch(/hunter2|db-7|\.ts:/)
  expect(shape.data.httpStatus).toBeGreaterThanOrEqual(500)
  expect(shape.data.requestId).toBe('r1')
})
