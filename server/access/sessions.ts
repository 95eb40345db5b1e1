import { ulid } from 'ulid'
import type { Queryable } from '@/db/client'
import { deleteExpiredSessions, extendSession, findSession, insertLink, openLink } from '@/db/queries/access/sessions'
import { hashSecret, isSameHash, newSecret } from './secret'

const LINK_SECONDS = 10 * 60
/** Sliding: counted from the last use, give or take an hour. */
export const SESSION_SECONDS = 30 * 24 * 3600

/** A link that lets one browser in, once, within ten minutes. `baseUrl` is where the dashboard answers. */
export async function createLoginLink(db: Queryable, baseUrl: string): Promise<string> {
  await deleteExpiredSessions(db)
  const token = newSecret()
  await insertLink(db, {
    id: ulid(),
    linkHash: hashSecret(token),
    linkSeconds: LINK_SECONDS,
    sessionSeconds: SESSION_SECONDS,
  })
  const url = new URL('/login', baseUrl)
  url.searchParams.set('token', token)
  return url.href
}

/** Trades the token of a link for the value of a session cookie; null when the link is unknown, used or too old. */
export async function openLoginLink(db: Queryable, token: string): Promise<string | null> {
  const session = newSecret()
  const opened = await openLink(db, {
    linkHash: hashSecret(token),
    tokenHash: hashSecret(session),
    sessionSeconds: SESSION_SECONDS,
  })
  return opened ? session : null
}

/** Whether this is the cookie of a session that is not over. */
export async function authenticateSession(db: Queryable, session: string): Promise<boolean> {
  const hash = hashSecret(session)
  const row = await findSession(db, hash)
  if (row === null || !isSameHash(row.tokenHash, hash)) return false
  await extendSession(db, row.id, SESSION_SECONDS)
  return true
}
