import { setTimeout as pause } from 'node:timers/promises'
import { sql as raw } from 'drizzle-orm'
import postgres from 'postgres'
import { describe, expect, test } from 'vitest'
import { AppError, type ErrorCode } from '@/server/kernel/errors'
import { openDatabase, withTransaction } from './client'
import { mapDatabaseError, mapped, retryable, retrySafe } from './errors'
import { testDatabase } from './testing/test-database'

const db = await testDatabase()

/** What the server sends when `state` is raised. */
async function raise(state: string, message = 'a message'): Promise<unknown> {
  return db.sql`select cairn_raise(${state}, ${message})`.then(
    () => undefined,
    (error: unknown) => error,
  )
}

describe('every class of SQLSTATE has its code', () => {
  test.each<[string, ErrorCode, boolean]>([
    ['08006', 'UNAVAILABLE', true],
    ['57P01', 'UNAVAILABLE', true],
    ['57P03', 'UNAVAILABLE', true],
    ['53300', 'UNAVAILABLE', true],
    ['53100', 'UNAVAILABLE', true],
    ['40001', 'UNAVAILABLE', true],
    ['40P01', 'UNAVAILABLE', true],
    ['55P03', 'UNAVAILABLE', true],
    ['57014', 'TIMEOUT', false],
    ['23505', 'CONFLICT', false],
    ['23502', 'INTERNAL', false],
    ['22P02', 'BAD_INPUT', false],
    ['22021', 'BAD_INPUT', false],
    ['42P01', 'INTERNAL', false],
    ['28P01', 'INTERNAL', false],
    ['XX000', 'INTERNAL', false],
  ])('%s is %s, retryable: %s', async (state, code, again) => {
    const error = await raise(state)
    const result = mapDatabaseError(error)
    expect(result).toMatchObject({ code, cause: error })
    expect(retryable(error)).toBe(again)
  })

  test('a hash collision and a missing ref carry their hashes', async () => {
    const collision = mapDatabaseError(await raise('CA001', '0K3V7Z2M9Q4TX'))
    expect(collision).toMatchObject({ code: 'HASH_COLLISION', data: { hash: '0K3V7Z2M9Q4TX' } })
    const missing = mapDatabaseError(await raise('CA002', '0K3V7Z2M9Q4TX,1K3V7Z2M9Q4TX'))
    expect(missing).toMatchObject({ code: 'MISSING_REF', data: { refs: ['0K3V7Z2M9Q4TX', '1K3V7Z2M9Q4TX'] } })
  })
})

test('errors that are not the database’s pass through unchanged', () => {
  const ours = new AppError('NOT_FOUND', 'gone', { what: 'thread', id: '1' })
  const plain = new Error('plain')
  expect(mapDatabaseError(ours)).toBe(ours)
  expect(mapDatabaseError(plain)).toBe(plain)
  expect(mapDatabaseError(Object.assign(new Error('no file'), { code: 'ENOENT' }))).toHaveProperty('code', 'ENOENT')
  expect(mapDatabaseError('text')).toBe('text')
})

test('what drizzle wraps is mapped by what it wraps', async () => {
  await expect(mapped(db.orm.execute(raw`select 'x'::int`))).rejects.toMatchObject({ code: 'BAD_INPUT' })
})

test('withTransaction maps, and says UNAVAILABLE when its connection is killed under it', async () => {
  const work = withTransaction(db, async ({ sql }) => {
    const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
    await db.sql`select pg_terminate_backend(${row?.pid ?? 0})`
    await sql`select 1`
  })
  await expect(work).rejects.toMatchObject({ code: 'UNAVAILABLE' })
})

test('a server that is not there is UNAVAILABLE', async () => {
  const nowhere = openDatabase('postgres://nobody@127.0.0.1:1/x', { purpose: 'test', max: 1 })
  await expect(mapped(nowhere.sql`select 1`)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  await expect(withTransaction(nowhere, async () => 1)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  await nowhere.close()
})

describe('retrySafe', () => {
  const down = () => new postgres.PostgresError('down')
  const passing = () => Object.assign(down(), { code: '57P01' })

  test('calls again after a failure that passes, and returns what then comes', async () => {
    let calls = 0
    const work = async () => {
      calls += 1
      if (calls < 3) throw passing()
      return 'done'
    }
    expect(await retrySafe(work, { baseDelayMs: 1 })).toBe('done')
    expect(calls).toBe(3)
  })

  test('stops at its bound and throws the last failure mapped', async () => {
    let calls = 0
    const work = async () => {
      calls += 1
      throw passing()
    }
    await expect(retrySafe(work, { attempts: 4, baseDelayMs: 1 })).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(calls).toBe(4)
  })

  test('never repeats what another call cannot mend', async () => {
    let calls = 0
    const work = async () => {
      calls += 1
      throw Object.assign(down(), { code: '23505' })
    }
    await expect(retrySafe(work)).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(calls).toBe(1)
  })

  test('ends at once when it is aborted while it waits', async () => {
    const abort = new AbortController()
    const work = retrySafe(async () => Promise.reject(passing()), {
      baseDelayMs: 1e9,
      maxDelayMs: 1e9,
      signal: abort.signal,
    })
    await pause(1)
    abort.abort()
    await expect(work).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })
})
