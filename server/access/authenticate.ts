import type { Queryable } from '@/db/client'
import { AppError } from '@/server/kernel/errors'
import type { Actor } from './actor'
import { checkHostAndOrigin, loopbackHosts, type RequestKind } from './check-request'
import { readSessionCookie } from './cookie'
import { authenticateKey } from './keys'
import { authenticateSession } from './sessions'

/** Set to `cli` by the command line, so that lists can say where a thread came from. */
export const CLIENT_HEADER = 'x-cairn-client'

/**
 * Who sends this request to the server on `port`: the holder of an API key (`Authorization: Bearer cairn_…`) or of the
 * cookie of a session. Until there are accounts, each may do everything. Throws FORBIDDEN for a request from elsewhere,
 * UNAUTHORIZED for one without valid credentials.
 */
export async function authenticate(
  db: Queryable,
  request: { headers: Headers; kind: RequestKind; port: number },
): Promise<Actor> {
  const { headers, kind, port } = request
  const key = bearerOf(headers)
  const session = readSessionCookie(headers, port)
  checkHostAndOrigin(headers, loopbackHosts(port), { kind, byCookie: key === null && session !== null })
  if (key !== null) {
    const identity = await authenticateKey(db, key)
    if (identity === null) throw unauthorized('This API key is not known, or was revoked')
    const origin = headers.get(CLIENT_HEADER) === 'cli' ? 'cli' : 'api'
    return { name: `key:${identity.label}`, origin, role: 'owner' }
  }
  if (session === null) throw unauthorized('This needs an API key or a browser session')
  if (!(await authenticateSession(db, session))) throw unauthorized('This browser session is over')
  return { name: 'browser', origin: 'web', role: 'owner' }
}

function bearerOf(headers: Headers): string | null {
  return /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1] ?? null
}

function unauthorized(what: string): AppError<'UNAUTHORIZED'> {
  return new AppError(
    'UNAUTHORIZED',
    `${what}. Run \`npx cairn open\` for a browser session; a program sends the key in .cairn/key as a bearer token.`,
    {},
  )
}
