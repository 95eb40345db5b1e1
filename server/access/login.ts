import type { Queryable } from '@/db/client'
import { isAppError } from '@/server/kernel/errors'
import { checkHost, loopbackHosts } from './check-request'
import { readSessionCookie, sessionCookie } from './cookie'
import { localPath } from './local-path'
import { loginPage } from './login-page'
import { authenticateSession, openLoginLink } from './sessions'

/**
 * Answers `GET /login?token=…&next=/path`: a valid link sets the cookie and leads on to `next`; a browser that has a session is
 * led on as well, and its link stays unused; everybody else gets a page that says what to do.
 */
export async function loginResponse(db: Queryable, request: Request, port: number): Promise<Response> {
  const { searchParams } = new URL(request.url)
  const next = localPath(searchParams.get('next'))
  try {
    checkHost(request.headers, loopbackHosts(port))
  } catch (error) {
    if (!isAppError(error, 'FORBIDDEN')) throw error
    return page(403, error.message)
  }
  const session = readSessionCookie(request.headers, port)
  if (session !== null && (await authenticateSession(db, session))) return redirect(next)
  const token = searchParams.get('token')
  if (token === null) return page(401, 'You are not logged in in this browser.')
  const opened = await openLoginLink(db, token)
  if (opened === null) return page(401, 'This link was used before, or is older than ten minutes.')
  return redirect(next, sessionCookie(port, opened))
}

/** 303 with a path and no host: the browser stays at the name that it used, for which the cookie is. */
function redirect(path: string, cookie?: string): Response {
  const headers = new Headers({ location: path, ...PRIVATE })
  if (cookie !== undefined) headers.set('set-cookie', cookie)
  return new Response(null, { status: 303, headers })
}

function page(status: 401 | 403, problem: string): Response {
  return new Response(loginPage(problem), {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8', ...PRIVATE },
  })
}

/** The address holds a secret: no cache keeps it, no link passes it on. */
const PRIVATE = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }
