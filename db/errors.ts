import postgres from 'postgres'
import { AppError, isAppError } from '@/server/kernel/errors'

/** SQLSTATE of a statement that found other bytes under the same hash (message: the hash). Raised by `cairn_raise`. */
export const HASH_COLLISION_STATE = 'CA001'
/** SQLSTATE of a statement that names refs which do not exist (message: the hashes, separated by commas). */
export const MISSING_REF_STATE = 'CA002'

/** Codes of postgres.js and of Node's sockets for a connection that is not there, not there any more, or too slow. */
const CONNECTION_CODES = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

/** Turns what the driver throws into an `AppError`, once; anything else, also an `AppError`, is returned as it is. */
export function mapDatabaseError(error: unknown): unknown {
  if (isAppError(error)) return error
  const driverError = unwrap(error)
  const code = codeOf(driverError)
  if (code === undefined) return error
  const cause = { cause: error }
  const message = driverError instanceof Error ? driverError.message : code
  const detail = driverError instanceof postgres.PostgresError ? driverError : undefined

  if (CONNECTION_CODES.has(code) || code.startsWith('08') || /^57P0[1-5]$/.test(code)) {
    return unavailable(`The database cannot be reached (${message}). Check that it runs, then try again.`, cause)
  }
  if (code.startsWith('53')) {
    return unavailable(
      `The database is out of resources (${message}). Free some or raise its limit, then try again.`,
      cause,
    )
  }
  if (code === '40001' || code === '40P01') {
    return unavailable('The database gave up this transaction in favour of another one. Try again.', cause)
  }
  if (code === '55P03') return unavailable('A row stayed locked by another transaction. Try again.', cause)
  if (code === '57014') {
    return new AppError('TIMEOUT', `A database statement took too long and was stopped (${message}).`, {}, cause)
  }
  if (code === '25P03') {
    return new AppError('TIMEOUT', 'A transaction did nothing for too long and was ended. Try again.', {}, cause)
  }
  if (code === '23505') {
    const name = detail?.constraint_name ?? 'a unique index'
    return new AppError('CONFLICT', `This exists already (${name}). Read it again before you retry.`, {}, cause)
  }
  if (code === HASH_COLLISION_STATE) {
    const text = `Other bytes are stored under the hash ${message}. Nothing was written; change the content by a character.`
    return new AppError('HASH_COLLISION', text, { hash: message }, cause)
  }
  if (code === MISSING_REF_STATE) {
    const text = `These hashes are referred to but not stored: ${message}. Store them first.`
    return new AppError('MISSING_REF', text, { refs: message.split(',').map((hash) => hash.trim()) }, cause)
  }
  if (code.startsWith('22')) {
    return new AppError('BAD_INPUT', `The database refused a value: ${message}.`, {}, cause)
  }
  if (code === '28P01' || code === '28000' || code === '3D000') {
    return new AppError('INTERNAL', `The database refused the connection: ${message}. Check DATABASE_URL.`, {}, cause)
  }
  if (code === '42P01' || code === '42703' || code === '42883') {
    return new AppError(
      'INTERNAL',
      `The database lacks something this version needs: ${message}. Run the migrations.`,
      {},
      cause,
    )
  }
  return new AppError('INTERNAL', `A database statement failed (SQLSTATE ${code}): ${message}.`, {}, cause)
}

/** For a single statement outside a transaction: `await mapped(sql\`…\`)`. */
export async function mapped<T>(work: PromiseLike<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw mapDatabaseError(error)
  }
}

/** True when the same call may succeed later without any change: the connection went, a deadlock, a full server. */
export function retryable(error: unknown): boolean {
  return isAppError(mapDatabaseError(error), 'UNAVAILABLE')
}

export type RetryOptions = {
  /** Calls in all, at most. */
  attempts?: number
  /** Upper bound of the first wait in ms; doubles with each attempt up to `maxDelayMs`. The wait is random below it. */
  baseDelayMs?: number
  maxDelayMs?: number
  signal?: AbortSignal
}

/**
 * Calls `work` again after a retryable failure. Only for work that is safe to do twice: a commit whose answer was lost may
 * have happened. Throws the last failure, mapped.
 */
export async function retrySafe<T>(work: () => Promise<T>, options: RetryOptions = {}): Promise<T> {
  const { attempts = 6, baseDelayMs = 50, maxDelayMs = 2_000, signal } = options
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt >= attempts || signal?.aborted || !retryable(error)) throw mapDatabaseError(error)
    }
    await delay(Math.random() * Math.min(maxDelayMs, baseDelayMs * 2 ** (attempt - 1)), signal)
  }
}

function delay(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done)
  })
}

/** Drizzle wraps what the driver threw into an error whose `cause` it is. */
function unwrap(error: unknown): unknown {
  return error instanceof Error && codeOf(error) === undefined && error.cause instanceof Error ? error.cause : error
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  const isDriver = error instanceof postgres.PostgresError
  if (typeof error.code !== 'string') return undefined
  return isDriver || CONNECTION_CODES.has(error.code) || error.code === '57014' ? error.code : undefined
}

function unavailable(message: string, options: { cause: unknown }): AppError<'UNAVAILABLE'> {
  return new AppError('UNAVAILABLE', message, { dependency: 'database' }, options)
}
